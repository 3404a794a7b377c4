package io.rstream.e2e.process;

import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfigFile;
import io.rstream.process.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** An agent as its own process, outside of Kubernetes: one tunnel, reported to nobody. */
public final class AgentProcess implements AutoCloseable {
    /** The variable that carries the token (operator reference, section 4.1). */
    public static final String TOKEN_VARIABLE = "RSTREAM_AUTHENTICATION_TOKEN";

    /** The variable that names the trusted certificates. */
    public static final String TRUST_VARIABLE = "SSL_CERT_FILE";

    private static final String MAIN = "io.rstream.agent.AgentMain";

    private final JavaProcess process;

    private AgentProcess(JavaProcess process) {
        this.process = process;
    }

    /** Writes the configuration file, starts the agent and returns at once. */
    public static AgentProcess start(AgentSettings settings) throws IOException {
        String name = "agent-" + settings.config().tunnel().name();
        Path file = settings.folder().resolve(name + ".yaml");
        Files.writeString(file, AgentConfigFile.write(settings.config()));
        JavaLaunch launch = JavaLaunch.of(name, MAIN, "--config", file.toString(), "--health-bind-address", "")
                .withJvmFlags(settings.jvmFlags())
                .withFolder(settings.folder())
                .withEnvironment(TRUST_VARIABLE, settings.trusted().toString());
        Secret token = settings.token();
        return new AgentProcess(
                JavaProcess.start(token == null ? launch : launch.withEnvironment(TOKEN_VARIABLE, token.reveal())));
    }

    /**
     * A configuration for one published tunnel to a port of the loopback address.
     *
     * @param protocol {@code http} or {@code tcp}
     */
    public static AgentConfig config(EngineProcess engine, String tunnel, String protocol, int targetPort) {
        return new AgentConfig(
                new AgentConfig.Connection(engine.address().toString(), null, null),
                new AgentConfig.Tunnel(
                        tunnel,
                        true,
                        protocol,
                        null,
                        null,
                        null,
                        protocol.equals("http") ? hostname(tunnel) : null,
                        null,
                        Map.of(),
                        null,
                        List.of(),
                        List.of(),
                        null,
                        null),
                new AgentConfig.Target("127.0.0.1", String.valueOf(targetPort), null),
                new AgentConfig.Kubernetes(false, null, null, null, null),
                new AgentConfig.Retry("250ms", "2s"));
    }

    /** The public host name that {@link #config} asks for. */
    public static String hostname(String tunnel) {
        return tunnel + "." + EngineProcess.TUNNEL_DOMAIN;
    }

    /** The process. */
    public JavaProcess process() {
        return process;
    }

    /**
     * Waits for the first time that the tunnel is online.
     *
     * @return the forwarding address as the agent logs it
     */
    public String awaitOnline(Duration limit) {
        return awaitOnline(0, limit);
    }

    /** Waits like {@link #awaitOnline(Duration)} for a time after a position of the log. */
    public String awaitOnline(long after, Duration limit) {
        LogLine line = process.log()
                .awaitAfter(after, "Tunnel online", each -> each.message().equals("Tunnel online"), limit);
        return line.value("forwarding_address")
                .orElseThrow(() -> new IllegalStateException("no forwarding_address in: " + line));
    }

    @Override
    public void close() {
        process.close();
    }
}
