package io.rstream.operator.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.operator.connection.ConnectionResolution.LookUpFailed;
import io.rstream.operator.connection.ConnectionResolution.LookingUp;
import io.rstream.operator.connection.ConnectionResolution.Resolved;
import io.rstream.operator.connection.ConnectionResolution.ResolvedProject;
import io.rstream.operator.controlplane.ControlPlaneAccess;
import io.rstream.operator.controlplane.LookUpTarget;
import io.rstream.operator.controlplane.Project;
import io.rstream.operator.controlplane.ProjectAnswers.Answer;
import io.rstream.operator.controlplane.ProjectSelector;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConnectionResolverTest {

    private static final Map<String, SecretKeys> SECRETS =
            Map.of("rstream-token", new SecretKeys("rstream-token", "7", Set.of("token")));
    private static final Project PROJECT =
            new Project("prj-1", "project-42", "edge.example.com", 443, "", false, List.of());
    private static final Answer PENDING = new Answer.Pending(false);
    private static final Answer FAILED = new Answer.Failed("503");
    private static final String NO_STATUS = "{}";
    private static final String READY = """
            {apiURL: https://cp.example.com, projectID: prj-0, projectEndpoint: old, region: auto, engine: 'old.example.com:443',
             conditions: [{type: Ready, status: 'True', reason: Ready, message: m, observedGeneration: 4,
                           lastTransitionTime: '2026-01-02T03:04:05Z'}]}""";
    private static final Resolved REMEMBERED =
            new Resolved("old.example.com:443", new ResolvedProject("https://cp.example.com", "prj-0", "old", "auto"));

    @Test
    @Tag("parity-30")
    void takesIdAndEndpointFromTheAnswer() {
        assertThat(resolve(NO_STATUS, new Answer.Found(PROJECT)))
                .isEqualTo(new Resolved(
                        "project-42.edge.example.com:443",
                        new ResolvedProject("https://cp.example.com", "prj-1", "project-42", "auto")));
    }

    @Test
    void tellsLastingFailuresFromPassingOnes() {
        assertThat(resolve(READY, new Answer.Refused("401"))).isEqualTo(new LookUpFailed("401", true));
        assertThat(resolve(NO_STATUS, FAILED)).isEqualTo(new LookUpFailed("503", false));
        assertThat(resolve(NO_STATUS, PENDING))
                .isEqualTo(new LookingUp("Looking up project endpoint \"p\" at https://cp.example.com.", false));
    }

    @Test
    @Tag("parity-126")
    void believesItsOwnStatusOfTheSameSpecUntilThereIsAnAnswer() {
        assertThat(resolve(READY, PENDING)).isEqualTo(REMEMBERED);
        assertThat(resolve(READY, FAILED)).isEqualTo(REMEMBERED);
        assertThat(resolve(READY.replace("observedGeneration: 4", "observedGeneration: 3"), PENDING))
                .isInstanceOf(LookingUp.class);
        assertThat(resolve(READY.replace("cp.example.com", "other.example.com"), PENDING))
                .isInstanceOf(LookingUp.class);
        assertThat(resolve(READY.replace("status: 'True'", "status: 'False'"), PENDING))
                .isInstanceOf(LookingUp.class);
    }

    @Test
    void repeatsWhatItSaidOfTheSameSpecUntilThereIsAnAnswer() {
        var said = """
                {conditions: [{type: Ready, status: 'False', reason: %s, message: m, observedGeneration: 4,
                               lastTransitionTime: '2026-01-02T03:04:05Z'}]}""";

        assertThat(resolve(said.formatted("InvalidSpec"), PENDING)).isEqualTo(new LookUpFailed("m", true));
        assertThat(resolve(said.formatted("ConnectionUnresolved"), PENDING)).isEqualTo(new LookUpFailed("m", false));
        assertThat(resolve(said.formatted("SecretMissing"), PENDING)).isInstanceOf(LookingUp.class);
    }

    @Test
    void looksUpOnlyWhatCanBeLookedUp() {
        var resolver = new ConnectionResolver(ControlPlaneAccess.DEFAULT, (_, _) -> PENDING);
        var project = connection("projectID: ' p ', apiURL: 'https://cp.example.com/'", NO_STATUS);

        assertThat(resolver.lookUpTarget(project, SECRETS))
                .hasValue(new LookUpTarget("https://cp.example.com", new ProjectSelector.Id("p")));
        assertThat(resolver.lookUpTarget(project, Map.of())).isEmpty();
        assertThat(resolver.lookUpTarget(connection("engine: edge.example.com", NO_STATUS), SECRETS))
                .isEmpty();
        assertThat(resolver.lookUpTarget(connection("projectID: p, apiURL: 'http://a.example'", NO_STATUS), SECRETS))
                .isEmpty();
    }

    private static ConnectionResolution resolve(String status, Answer answer) {
        return new ConnectionResolver(ControlPlaneAccess.DEFAULT, (_, _) -> answer)
                .resolve(connection("projectEndpoint: p, apiURL: 'https://cp.example.com'", status), SECRETS);
    }

    private static RstreamConnection connection(String fields, String status) {
        return new KubernetesSerialization().unmarshal("""
                metadata: {name: default, namespace: demo, generation: 4}
                spec: {%s, tokenSecretRef: {name: rstream-token, key: token}}
                status: %s
                """.formatted(fields, status), RstreamConnection.class);
    }
}
