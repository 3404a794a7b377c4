package io.rstream.e2e.process;

import io.rstream.process.Secret;
import io.rstream.protocol.EngineAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An engine as its own process: {@code edge.rstream.localhost} with tunnels under {@code t.rstream.localhost}, a certificate
 * of a demo authority, tokens required.
 */
public final class EngineProcess implements AutoCloseable {
    /** The engine's host name. */
    public static final String HOST = "edge.rstream.localhost";

    /** HTTP tunnels are names directly below. */
    public static final String TUNNEL_DOMAIN = "t.rstream.localhost";

    private static final String MAIN = "io.rstream.engine.EngineMain";
    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration TOKEN = Duration.ofSeconds(90);
    private static final int SECRET_BYTES = 32;

    private final EngineSettings settings;
    private final DemoCertificates certificates;
    private final int firstTcpPort;
    private JavaProcess process;
    private int port;
    private int managementPort;

    private EngineProcess(EngineSettings settings, DemoCertificates certificates, int firstTcpPort) throws IOException {
        this.settings = settings;
        this.certificates = certificates;
        this.firstTcpPort = firstTcpPort;
        this.port = settings.listenPort();
        this.process = launch();
        awaitListening();
    }

    /** Writes configuration, secret and certificates, starts the engine and waits until it listens. */
    public static EngineProcess start(EngineSettings settings) throws IOException, GeneralSecurityException {
        Path folder = settings.folder();
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        Files.writeString(folder.resolve("token-secret"), Base64.getEncoder().encodeToString(secret));
        DemoCertificates certificates = DemoCertificates.create(folder, List.of(HOST, "*." + TUNNEL_DOMAIN));
        int firstTcpPort = settings.firstTcpPort() == 0 ? FreePorts.run(settings.tcpPorts()) : settings.firstTcpPort();
        return new EngineProcess(settings, certificates, firstTcpPort);
    }

    /** The public TLS port for agents, API and HTTP tunnels. */
    public int port() {
        return port;
    }

    /** The port of {@code /healthz}, {@code /readyz} and {@code /metrics}. */
    public int managementPort() {
        return managementPort;
    }

    /** What agents dial: host and port. */
    public EngineAddress address() {
        return new EngineAddress(HOST, port);
    }

    /** What clients must trust, PEM. */
    public Path caFile() {
        return certificates.caFile();
    }

    /** The engine's configuration file. */
    public Path configFile() {
        return settings.folder().resolve("engine.yaml");
    }

    /** The process that runs now. */
    public JavaProcess process() {
        return process;
    }

    /**
     * A token by {@code engine token}.
     *
     * @param arguments further arguments, such as {@code --permission} and {@code tunnels.resources.read-only}; none gives
     *     every permission
     */
    public Secret token(String... arguments) throws IOException {
        var command = new java.util.ArrayList<>(
                List.of("token", "--config", configFile().toString()));
        command.addAll(List.of(arguments));
        JavaLaunch launch = JavaLaunch.of("engine-token", MAIN, command.toArray(String[]::new))
                .withJvmFlags(JvmFlags.SHORT_LIVED);
        try (JavaProcess minting = JavaProcess.start(launch)) {
            int exitCode = minting.awaitExit(TOKEN);
            List<LogLine> lines = minting.log().lines();
            if (exitCode != 0 || lines.size() != 1) {
                throw new IllegalStateException("engine token ended with %d%n%s"
                        .formatted(exitCode, minting.errors().newest()));
            }
            return Secret.of(lines.getFirst().text());
        }
    }

    /** Kills the engine without a word. */
    public void kill() {
        process.kill();
    }

    /** Starts the engine again, after it has ended in order if it still runs, on the same ports and with the same secret. */
    public void restart() throws IOException {
        process.close();
        process = launch();
        awaitListening();
    }

    @Override
    public void close() {
        process.close();
    }

    private JavaProcess launch() throws IOException {
        Files.writeString(configFile(), configuration());
        return JavaProcess.start(
                JavaLaunch.of("engine", MAIN, "run", "--config", configFile().toString())
                        .withJvmFlags(settings.jvmFlags())
                        .withFolder(settings.folder()));
    }

    private void awaitListening() {
        try {
            port = awaitPort("Engine listening");
            managementPort = awaitPort("Management listening");
        } catch (IllegalStateException notListening) {
            process.close();
            throw new IllegalStateException(
                    notListening.getMessage() + process.errors().newest(), notListening);
        }
    }

    private int awaitPort(String message) {
        LogLine line = process.log().await(message, each -> each.message().equals(message), START);
        return Integer.parseInt(
                line.value("port").orElseThrow(() -> new IllegalStateException("no key port in: " + line)));
    }

    private String configuration() {
        return """
                listen: "127.0.0.1:%d"
                host: %s
                tunnelDomain: %s
                tls:
                  certificateFile: %s
                  keyFile: %s
                auth:
                  tokenSecretFile: token-secret
                tcp:
                  bindAddress: 127.0.0.1
                  ports: "%d-%d"
                management: "127.0.0.1:%d"
                %s%s""".formatted(
                        port,
                        HOST,
                        TUNNEL_DOMAIN,
                        certificates.certificateFile().getFileName(),
                        certificates.keyFile().getFileName(),
                        firstTcpPort,
                        firstTcpPort + settings.tcpPorts() - 1,
                        managementPort,
                        section("timeouts", settings.timeouts()),
                        section("limits", settings.limits()));
    }

    private static String section(String name, Map<String, String> values) {
        if (values.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(name).append(":\n");
        new TreeMap<>(values)
                .forEach((key, value) ->
                        text.append("  ").append(key).append(": ").append(value).append('\n'));
        return text.toString();
    }
}
