package io.rstream.e2e.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.agent.AgentMain;
import io.rstream.e2e.process.AgentProcess;
import io.rstream.e2e.process.DemoCertificates;
import io.rstream.e2e.process.JavaLaunch;
import io.rstream.e2e.process.JavaProcess;
import io.rstream.e2e.process.JvmFlags;
import io.rstream.e2e.process.LogLine;
import io.rstream.engine.EngineMain;
import io.rstream.operator.OperatorMain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The real main classes with a wrong command line, file or surrounding: exit code and the one line that says why. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WrongSetUpE2E {
    private static final Duration END = Duration.ofSeconds(40);
    private static final int FAILURE = 1;
    private static final int USAGE = 2;

    private static final String AGENT = """
            connection: {engine: "edge.rstream.localhost:1"}
            tunnel: {name: web, publish: true, protocol: http}
            target: {host: 127.0.0.1, port: "1"}
            kubernetes: {enabled: false}
            """;

    private static final String ENGINE = """
            listen: "127.0.0.1:0"
            host: edge.rstream.localhost
            tls: {certificateFile: tls.crt, keyFile: tls.key}
            auth: {tokenSecretFile: token.secret}
            management: ""
            """;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void createCertificates() throws Exception {
        DemoCertificates.create(folder, List.of("edge.rstream.localhost"));
        Path others = Files.createDirectory(folder.resolve("others"));
        DemoCertificates.create(others, List.of("edge.rstream.localhost"));
        Files.writeString(folder.resolve("token.secret"), "0123456789abcdef0123456789abcdef");
        Files.writeString(
                folder.resolve("broken.crt"), "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n");
    }

    /**
     * One wrong file.
     *
     * @param named what the line must name
     */
    record WrongFile(String what, String content, List<String> named) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static WrongFile file(String what, String content, String... named) {
        return new WrongFile(what, content, List.of(named));
    }

    static Stream<WrongFile> agentFiles() {
        return Stream.of(
                file("unknown key", AGENT.replace("publish:", "pubish:"), "tunnel.pubish"),
                file("missing engine", AGENT.replaceFirst("connection:.*\n", ""), "connection.engine is required"),
                file("port out of range", AGENT.replace("port: \"1\"", "port: \"70000\""), "target.port", "70000"),
                file("wrong pause", AGENT + "retry: {initial: soon}\n", "retry.initial", "soon"),
                file("not YAML", "tunnel: [", "line"));
    }

    @ParameterizedTest
    @MethodSource("agentFiles")
    void endsAnAgentWithAWrongFile(WrongFile wrong) throws Exception {
        JavaProcess agent =
                run(AgentMain.class, "--config", write("agent.yaml", wrong.content()), "--health-bind-address", "");

        assertOneLine(agent, FAILURE, wrong.named());
    }

    @Test
    void endsAnAgentWithoutItsFile() throws Exception {
        Path absent = folder.resolve("absent.yaml");

        JavaProcess agent = run(AgentMain.class, "--config", absent.toString());

        assertOneLine(agent, FAILURE, List.of(absent.toString()));
    }

    @Test
    void endsAnAgentWhoseHealthPortIsTaken() throws Exception {
        try (ServerSocket taken = listen()) {
            String address = "127.0.0.1:" + taken.getLocalPort();

            JavaProcess agent =
                    run(AgentMain.class, "--config", write("agent.yaml", AGENT), "--health-bind-address", address);

            assertOneLine(agent, FAILURE, List.of(address, "in use"));
        }
    }

    @ParameterizedTest
    @MethodSource("unusableTrust")
    void tellsWhichCertificateFileAnAgentCannotUse(String file) throws Exception {
        JavaLaunch launch = launch(AgentMain.class, "--config", write("agent.yaml", AGENT), "--health-bind-address", "")
                .withEnvironment(
                        AgentProcess.TRUST_VARIABLE, folder.resolve(file).toString())
                .withEnvironment(AgentProcess.TOKEN_VARIABLE, "not-used");

        try (JavaProcess agent = JavaProcess.start(launch)) {
            LogLine line =
                    agent.log().await("a disconnection", each -> each.level().equals("WARN"), END);

            assertThat(line.message()).isEqualTo("Tunnel disconnected; retrying");
            assertThat(line.value("error"))
                    .hasValueSatisfying(error -> assertThat(error).contains(file));
            assertThat(line.text()).doesNotContain("\\tat ");
        }
    }

    static Stream<String> unusableTrust() {
        return Stream.of("absent.pem", "broken.crt", "tls.key");
    }

    static Stream<WrongFile> engineFiles() {
        return Stream.concat(
                Stream.of(
                        file("unknown key", ENGINE.replace("tls: {", "tls: {keyfile: x, "), "tls.keyfile"),
                        file("missing host", ENGINE.replaceFirst("host:.*\n", ""), "host is missing"),
                        file("wrong limit", ENGINE + "limits: {sessions: 0}\n", "limits.sessions", "0")),
                engineFilesThatNameWrongOnes());
    }

    static Stream<WrongFile> engineFilesThatNameWrongOnes() {
        return Stream.of(
                file("unreadable certificate", ENGINE.replace("tls.crt", "absent.crt"), "absent.crt"),
                file("broken certificate", ENGINE.replace("tls.crt", "broken.crt"), "broken.crt"),
                file("key of another certificate", ENGINE.replace("tls.key", "others/tls.key"), "tls.key", "tls.crt"),
                file("unreadable secret", ENGINE.replace("token.secret", "absent.secret"), "absent.secret"));
    }

    @ParameterizedTest
    @MethodSource("engineFiles")
    void endsAnEngineWithAWrongFile(WrongFile wrong) throws Exception {
        JavaProcess engine = run(EngineMain.class, "run", "--config", write("engine.yaml", wrong.content()));

        assertOneLine(engine, FAILURE, wrong.named());
    }

    @ParameterizedTest
    @MethodSource("engineFilesThatNameWrongOnes")
    void findsTheSameWithEngineCheck(WrongFile wrong) throws Exception {
        JavaProcess check = run(EngineMain.class, "check", "--config", write("engine.yaml", wrong.content()));

        assertOneLine(check, FAILURE, wrong.named());
    }

    @ParameterizedTest
    @MethodSource("addressKeys")
    void endsAnEngineWhosePortIsTaken(String line) throws Exception {
        try (ServerSocket taken = listen()) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            String key = line.substring(0, line.indexOf(':'));
            String config = ENGINE.replace(line, key + ": \"" + address + "\"");

            JavaProcess engine = run(EngineMain.class, "run", "--config", write("engine.yaml", config));

            assertOneLine(engine, FAILURE, List.of(address, "in use"));
        }
    }

    static Stream<String> addressKeys() {
        return Stream.of("listen: \"127.0.0.1:0\"", "management: \"\"");
    }

    /**
     * One wrong command line.
     *
     * @param named what the line must name
     */
    record WrongFlags(Class<?> mainClass, List<String> arguments, List<String> named) {
        @Override
        public String toString() {
            return mainClass.getSimpleName() + " " + String.join(" ", arguments);
        }
    }

    private static WrongFlags flags(Class<?> mainClass, List<String> arguments, String... named) {
        return new WrongFlags(mainClass, arguments, List.of(named));
    }

    static Stream<WrongFlags> wrongFlags() {
        return Stream.of(
                flags(AgentMain.class, List.of("--confg", "x"), "--confg"),
                flags(AgentMain.class, List.of("--health-bind-address", "nowhere"), "--health-bind-address", "nowhere"),
                flags(EngineMain.class, List.of("run", "--config", "x", "--confg", "x"), "--confg"),
                flags(EngineMain.class, List.of("run"), "--config"),
                flags(EngineMain.class, List.of("walk"), "walk"),
                flags(EngineMain.class, List.of("run", "--config", "x", "--log-level", "loud"), "--log-level", "loud"),
                flags(OperatorMain.class, List.of("--leader-elct"), "--leader-elct"),
                flags(
                        OperatorMain.class,
                        List.of("--metrics-bind-address", "nowhere"),
                        "--metrics-bind-address",
                        "nowhere"),
                flags(OperatorMain.class, List.of("--zap-log-level", "loud"), "--zap-log-level", "loud"),
                flags(OperatorMain.class, List.of("--kubeconfig", "absent.kubeconfig"), "absent.kubeconfig"));
    }

    @ParameterizedTest
    @MethodSource("wrongFlags")
    void endsAProcessWithAWrongFlag(WrongFlags wrong) throws Exception {
        JavaProcess process = run(wrong.mainClass(), wrong.arguments().toArray(String[]::new));

        assertOneLine(process, USAGE, wrong.named());
    }

    @Test
    void endsAnOperatorWhoseHealthPortIsTaken() throws Exception {
        try (ServerSocket taken = listen();
                ServerSocket noApiServer = listen()) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            String kubeconfig = write("kubeconfig", """
                    apiVersion: v1
                    kind: Config
                    clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d"}}]
                    users: [{name: u, user: {token: t}}]
                    contexts: [{name: x, context: {cluster: c, user: u}}]
                    current-context: x
                    """.formatted(noApiServer.getLocalPort()));

            JavaProcess operator = run(
                    OperatorMain.class,
                    "--kubeconfig",
                    kubeconfig,
                    "--metrics-bind-address",
                    "0",
                    "--health-probe-bind-address",
                    address);

            assertOneLine(operator, FAILURE, List.of(address, "in use"));
        }
    }

    /** Exactly one line of both outputs is more than information; it names the things, and there is no stack trace. */
    private static void assertOneLine(JavaProcess process, int exitCode, List<String> named) {
        List<LogLine> all = new ArrayList<>(process.log().lines());
        all.addAll(process.errors().lines());
        List<LogLine> complaints =
                all.stream().filter(line -> !line.level().equals("INFO")).toList();

        assertThat(complaints).hasSize(1);
        String line = complaints.getFirst().text();
        assertThat(line).contains(named).doesNotContain("\\tat ", "\tat ", "Exception", "java.");
        assertThat(process.awaitExit(END)).as(line).isEqualTo(exitCode);
    }

    private static JavaProcess run(Class<?> mainClass, String... arguments) throws IOException {
        try (JavaProcess process = JavaProcess.start(launch(mainClass, arguments))) {
            process.awaitExit(END);
            return process;
        }
    }

    private static JavaLaunch launch(Class<?> mainClass, String... arguments) {
        return JavaLaunch.of(mainClass.getSimpleName(), mainClass.getName(), arguments)
                .withJvmFlags(JvmFlags.SHORT_LIVED);
    }

    private static String write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }
}
