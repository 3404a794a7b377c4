package io.rstream.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rstream.operator.controlplane.ControlPlaneAccess;
import io.rstream.process.BindAddress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.event.Level;

class OperatorMainTest {

    private final StringWriter errors = new StringWriter();
    private final StringWriter output = new StringWriter();

    @Test
    @Tag("parity-117")
    void hasTheDocumentedDefaults() {
        var options = parse().options(Optional.empty());

        assertThat(options.metrics()).isEqualTo(new BindAddress("", 8080));
        assertThat(options.health()).isEqualTo(new BindAddress("", 8081));
        assertThat(options.leaderElection()).isNull();
        assertThat(options.agents().image()).startsWith("docker.io/rstream/rstream-operator:0.");
        assertThat(OperatorOptions.LEASE).isEqualTo("rstream-operator.tunnels.rstream.io");
    }

    @Test
    @Tag("parity-83")
    void takesTheAgentImageFromFlagThenEnvironment() {
        assertThat(parse("--agent-image=a:1")
                        .options(Optional.of("b:2"))
                        .agents()
                        .image())
                .isEqualTo("a:1");
        assertThat(parse("-agent-image", "a:1")
                        .options(Optional.of("b:2"))
                        .agents()
                        .image())
                .isEqualTo("a:1");
        assertThat(parse().options(Optional.of("b:2")).agents().image()).isEqualTo("b:2");
    }

    @Test
    @Tag("parity-145")
    void takesPullSecretsForEveryAgent() {
        var options = parse("--agent-image-pull-secret=one", "-agent-image-pull-secret", "two")
                .options(Optional.empty());

        assertThat(options.agents().imagePullSecrets()).containsExactly("one", "two");
        assertThat(parse().options(Optional.empty()).agents().imagePullSecrets())
                .isEmpty();
    }

    @Test
    void refusesAPullSecretWithoutAName() {
        var command = parse("--agent-image-pull-secret=");

        assertThatThrownBy(() -> command.options(Optional.empty()))
                .hasMessage("--agent-image-pull-secret is empty; name a Secret, or leave the flag out");
    }

    @Test
    void letsControlPlanesBeAnyHostOverHttpsUnlessToldOtherwise() {
        var standard = parse().controlPlane(Map.of());
        var told = parse(
                        "--allow-insecure-control-plane",
                        "--control-plane-host=A.example.com",
                        "--control-plane-host=b.example.com",
                        "--control-plane-ca-file=ca.pem")
                .controlPlane(Map.of());

        assertThat(standard.access()).isEqualTo(ControlPlaneAccess.DEFAULT);
        assertThat(standard.caFile()).isNull();
        assertThat(told.access()).isEqualTo(new ControlPlaneAccess(true, Set.of("a.example.com", "b.example.com")));
        assertThat(told.caFile()).isEqualTo(Path.of("ca.pem"));
    }

    @Test
    void takesProxiesFromTheEnvironment() {
        assertThat(parse().controlPlane(Map.of()).proxies().haveCredentials()).isFalse();
        assertThat(parse().controlPlane(Map.of("https_proxy", "http://a:b@proxy:1"))
                        .proxies()
                        .haveCredentials())
                .isTrue();
        assertThatThrownBy(() -> parse().controlPlane(Map.of("HTTP_PROXY", "socks5://proxy")))
                .isInstanceOf(picocli.CommandLine.ParameterException.class)
                .hasMessageStartingWith("HTTP_PROXY does not name a proxy");
    }

    @Test
    void turnsServersOffWithAnEmptyAddressOrZero() {
        var options = parse("--metrics-bind-address=0", "--health-probe-bind-address=")
                .options(Optional.empty());

        assertThat(options.metrics()).isNull();
        assertThat(options.health()).isNull();
    }

    @Test
    @Tag("parity-150")
    void watchesAllNamespacesUnlessSomeAreNamed() {
        assertThat(parse().options(Optional.empty()).watchNamespaces()).isEmpty();
        assertThat(parse("--watch-namespace=a", "--watch-namespace", "b", "-watch-namespace=a")
                        .options(Optional.empty())
                        .watchNamespaces())
                .containsExactlyInAnyOrder("a", "b");
    }

    @ParameterizedTest
    @CsvSource({"debug,DEBUG", "info,INFO", "error,ERROR", "3,DEBUG"})
    void mapsTheLogLevel(String text, Level level) {
        assertThat(parse("--zap-log-level=" + text).level()).isEqualTo(level);
    }

    @Test
    void acceptsTheFlagsOfTheIncumbent() {
        parse(
                "--leader-elect",
                "--leader-elect=false",
                "--zap-devel",
                "--zap-encoder=json",
                "--zap-time-encoding",
                "iso8601",
                "--zap-stacktrace-level=error");

        assertThat(errors.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--nonsense,Unknown option: '--nonsense'",
        "--metrics-bind-address=x,--metrics-bind-address: ",
        "--zap-log-level=loud,'--zap-log-level \"loud\" is not a level; use debug, info, warn, error or a number above 0'",
        "--watch-namespace=Shop,--watch-namespace \"Shop\" is not the name of a namespace",
        "--kubeconfig=/does/not/exist,--kubeconfig /does/not/exist cannot be read; name an existing kubeconfig file",
    })
    void endsWithOneSentenceAndCode2OnAWrongFlag(String flag, String message) {
        var code = commandLine().execute(flag);

        assertThat(code).isEqualTo(2);
        assertThat(errors.toString()).startsWith(message).hasLineCount(1);
    }

    @Test
    void showsHelpAndVersion() {
        assertThat(commandLine().execute("--help")).isZero();
        assertThat(commandLine().execute("--version")).isZero();

        assertThat(output.toString()).contains("--leader-elect").containsPattern("(?m)^0\\.\\d+\\.\\d+");
    }

    @Test
    void saysWhereItLooksForTheApiServerInTheOrderInWhichItLooks() {
        commandLine().execute("--help");

        assertThat(output.toString().replaceAll("\\s+", " "))
                .contains("Default: $KUBECONFIG or ~/.kube/config, else the pod's service account.");
    }

    private OperatorMain parse(String... arguments) {
        var line = commandLine();
        line.setOverwrittenOptionsAllowed(true);
        line.parseArgs(arguments);
        return line.getCommand();
    }

    private picocli.CommandLine commandLine() {
        return OperatorMain.commandLine().setErr(new PrintWriter(errors, true)).setOut(new PrintWriter(output, true));
    }
}
