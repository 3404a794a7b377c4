package io.rstream.operator.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineSelectionTest {

    private static final String GLOBAL = """
            {"id": "prj-1", "endpoint": "p", "domain": "example.com", "enginePort": 8443, "routing": "global",
             "regionalEndpoints": [
               {"provider": "x", "region": "us-east-1", "domain": "us.example.com", "enginePort": 444},
               {"region": "EU-West-1", "domain": "eu.example.com", "enginePort": 443},
               {"region": "twice", "domain": "a.example.com", "enginePort": 443},
               {"region": "twice", "domain": "b.example.com", "enginePort": 443},
               {"region": "broken", "domain": "", "enginePort": 443},
               {"region": "portless", "domain": "c.example.com"}]}""";

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
            null        | p.example.com:8443    | auto
            ' '         | p.example.com:8443    | auto
            ' AUTO '    | p.example.com:8443    | auto
            US-EAST-1   | p.us.example.com:444  | us-east-1
            ' eu-west-1'| p.eu.example.com:443  | eu-west-1
            """)
    @Tag("parity-31")
    @Tag("parity-32")
    void takesTheEngineOfTheRegion(String region, String engine, String shown) throws Exception {
        assertThat(EngineSelection.of(project(GLOBAL), region)).isEqualTo(new EngineSelection.Selected(engine, shown));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            mars     | region "mars" is not available for this project (available: broken, eu-west-1, portless, twice, us-east-1)
            TWICE    | region "twice" is ambiguous for this project
            broken   | region "broken" has an invalid engine endpoint
            portless | region "portless" has an invalid engine endpoint
            a/b      | region can only contain letters, numbers, dots, underscores, or hyphens
            -a       | region can only contain letters, numbers, dots, underscores, or hyphens
            """)
    @Tag("parity-33")
    @Tag("parity-34")
    void refusesARegionThatIsNotThere(String region, String message) throws Exception {
        assertThat(EngineSelection.of(project(GLOBAL), region)).isEqualTo(new EngineSelection.Refused(message));
    }

    @Test
    void refusesALongRegion() throws Exception {
        assertThat(EngineSelection.of(project(GLOBAL), "a".repeat(65)))
                .isEqualTo(new EngineSelection.Refused(
                        "region can only contain letters, numbers, dots, underscores, or hyphens"));
    }

    @ParameterizedTest
    @CsvSource({"routing", "placement"})
    @Tag("parity-34")
    void refusesARegionOfARegionalProject(String key) throws Exception {
        var project = project("""
                {"endpoint": "p", "domain": "example.com", "%s": "regional", "regionalEndpoints": [
                  {"region": "us", "domain": "us.example.com", "enginePort": 443}]}""".formatted(key));

        assertThat(EngineSelection.of(project, "us"))
                .isEqualTo(new EngineSelection.Refused("region selection is only available for global projects"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            {"endpoint": "p", "domain": "example.com"}                         | p.example.com:443
            {"endpoint": "p", "domain": "example.com", "enginePort": -1}       | p.example.com:443
            {"endpoint": " p ", "domain": " example.com "}                     | p.example.com:443
            {"endpoint": "p", "url": "old.example.com"}                        | old.example.com:443
            {"domain": "example.com", "url": "old.example.com:8443"}           | old.example.com:8443
            {"endpoint": "p", "enginePort": 8443}                              | none
            {"endpoint": {"a": 1}, "domain": ["b"], "regionalEndpoints": "c"}  | none
            {}                                                                 | none
            """)
    @Tag("parity-31")
    void findsTheDefaultEngineInOlderAnswersToo(String answer, String engine) throws Exception {
        var expected = engine == null
                ? new EngineSelection.Refused("project does not define an engine endpoint")
                : new EngineSelection.Selected(engine, "auto");

        assertThat(EngineSelection.of(project(answer), null)).isEqualTo(expected);
    }

    @Test
    void listsNoRegionsWhereThereAreNone() throws Exception {
        assertThat(EngineSelection.of(project("{\"endpoint\": \"p\", \"domain\": \"example.com\"}"), "us"))
                .isEqualTo(new EngineSelection.Refused("region \"us\" is not available for this project"));
    }

    private static Project project(String json) throws Exception {
        return Project.of(new ObjectMapper().readTree(json));
    }
}
