package io.rstream.e2e.process;

import io.rstream.agent.config.AgentConfig;
import io.rstream.process.Secret;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How {@link AgentProcess} runs an agent outside of Kubernetes.
 *
 * @param folder for configuration and log, both named after the tunnel; must exist
 * @param config what the agent is told
 * @param token the engine's token, or null for none
 * @param trusted PEM bundle that the engine's certificate must lead to
 * @param jvmFlags flags of the JVM, {@link JvmFlags#AGENT} by default
 */
public record AgentSettings(
        Path folder, AgentConfig config, @Nullable Secret token, Path trusted, List<String> jvmFlags) {

    /** Copies the flags. */
    public AgentSettings {
        jvmFlags = List.copyOf(jvmFlags);
    }

    /** Settings with the flags of the image. */
    public static AgentSettings of(Path folder, EngineProcess engine, AgentConfig config, Secret token) {
        return new AgentSettings(folder, config, token, engine.caFile(), JvmFlags.AGENT);
    }

    /** The same settings with other JVM flags. */
    public AgentSettings withJvmFlags(List<String> flags) {
        return new AgentSettings(folder, config, token, trusted, flags);
    }
}
