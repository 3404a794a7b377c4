package io.rstream.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.engine.agents.Tokens;
import io.rstream.process.Secret;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineMainTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void writeFiles() throws IOException {
        TestCertificate.create("edge.example.com", "*.t.example.com").write(folder, "tls");
        Files.writeString(folder.resolve("secret"), EngineFixture.SECRET + "\n");
        config("");
    }

    @Test
    void findsAGoodConfigurationGood() {
        assertThat(run("check", config())).isZero();
        assertThat(out.toString()).contains("ok: " + folder.resolve("engine.yaml") + " can be used");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void namesEveryNameThatTheCertificateLacks() {
        TestCertificate.create("www.example.com").write(folder, "tls");

        int exit = run("check", config());

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString())
                .contains("does not cover host edge.example.com; it is for www.example.com")
                .contains("does not cover tunnelDomain *.t.example.com; it is for www.example.com");
    }

    @Test
    void acceptsAWildcardForTheEngineHost() {
        TestCertificate.create("*.example.com", "*.t.example.com").write(folder, "tls");

        assertThat(run("check", config())).isZero();
    }

    @Test
    void findsAKeyThatDoesNotBelongToTheCertificate() throws Exception {
        TestCertificate.create("edge.example.com").write(folder, "other");
        Files.copy(
                folder.resolve("other.key"),
                folder.resolve("tls.key"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);

        assertThat(run("check", config())).isEqualTo(1);
        assertThat(err.toString()).contains("does not belong to the certificate");
    }

    @Test
    void findsAnExpiredCertificate() {
        Instant now = Instant.now();
        TestCertificate.create(
                        now.minus(2, ChronoUnit.DAYS),
                        now.minus(1, ChronoUnit.DAYS),
                        "edge.example.com",
                        "*.t.example.com")
                .write(folder, "tls");

        assertThat(run("check", config())).isEqualTo(1);
        assertThat(err.toString()).contains("the certificate expired on");
    }

    @Test
    void warnsOfACertificateThatExpiresSoon() {
        assertThat(run("check", config())).isZero();
        assertThat(out.toString()).contains("expires soon");
    }

    @Test
    void findsMissingFiles() throws Exception {
        Files.delete(folder.resolve("tls.crt"));
        Files.delete(folder.resolve("secret"));

        assertThat(run("check", config())).isEqualTo(1);
        assertThat(err.toString())
                .contains("tls: " + folder.resolve("tls.crt") + " cannot be read")
                .contains("auth.tokenSecretFile " + folder.resolve("secret") + " cannot be read");
    }

    @Test
    void findsGarbageInsteadOfACertificate() throws Exception {
        Files.writeString(folder.resolve("tls.crt"), "garbage");

        assertThat(run("check", config())).isEqualTo(1);
        assertThat(err.toString()).contains("problem: tls: ").contains("tls.crt");
    }

    @Test
    void findsAnUnknownKey() throws Exception {
        config("colour: red\n");

        assertThat(run("check", config())).isEqualTo(1);
        assertThat(err.toString()).contains("engine.yaml: colour is not a known key");
    }

    @Test
    void mintsATokenAndPrintsNothingElse() throws Exception {
        int exit =
                run("token", config(), "--subject=ci", "--expires", "1h", "--permission=tunnels.resources.read-only");

        assertThat(exit).isZero();
        String token = out.toString().strip();
        assertThat(out.toString()).isEqualTo(token + System.lineSeparator());
        var claims = new Tokens(Secret.of(EngineFixture.SECRET), Clock.systemUTC()).verify(token);
        assertThat(claims.subject()).isEqualTo("ci");
        assertThat(claims.permissions()).isEqualTo(List.of("tunnels.resources.read-only"));
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    token --expires=soon        | 2 | "soon" is not a duration
                    token --expires=0s          | 2 | --expires 0s is too short
                    token --permission=all      | 2 | --permission all is unknown
                    run --log-level=loud        | 2 | --log-level loud is unknown
                    run --colour=red            | 2 | Unknown option: '--colour=red'
                    fly                         | 2 | Unmatched argument
                    """)
    void saysInOneSentenceWhatIsWrongWithTheCommandLine(String line, int exit, String message) {
        String[] words = line.split(" ", -1);
        String[] arguments = new String[words.length + 1];
        System.arraycopy(words, 0, arguments, 0, words.length);
        arguments[words.length] = config();

        assertThat(EngineMain.execute(arguments, new PrintWriter(out, true), new PrintWriter(err, true)))
                .isEqualTo(exit);
        assertThat(err.toString()).contains(message).hasLineCount(1);
    }

    @Test
    void insistsOnAConfigurationFile() {
        assertThat(EngineMain.execute(new String[] {"run"}, new PrintWriter(out, true), new PrintWriter(err, true)))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--config");
    }

    @Test
    void saysItsVersion() {
        assertThat(run("version")).isZero();
        assertThat(out.toString()).isNotBlank();
    }

    @Test
    void showsExamples() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("rstream-engine run --config=engine.yaml");
    }

    private int run(String... arguments) {
        return EngineMain.execute(arguments, new PrintWriter(out, true), new PrintWriter(err, true));
    }

    private String config() {
        return "--config=" + folder.resolve("engine.yaml");
    }

    private void config(String more) throws IOException {
        Files.writeString(folder.resolve("engine.yaml"), """
                host: edge.example.com
                tls: {certificateFile: tls.crt, keyFile: tls.key}
                auth: {tokenSecretFile: secret}
                """ + more);
    }
}
