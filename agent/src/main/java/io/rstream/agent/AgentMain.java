package io.rstream.agent;

import io.rstream.agent.config.AgentConfig;
import io.rstream.agent.config.AgentConfigFile;
import io.rstream.agent.config.ConfigException;
import io.rstream.agent.status.AgentIdentity;
import io.rstream.process.BindAddress;
import io.rstream.process.ExitCode;
import io.rstream.process.JsonLog;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.ProtocolVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code rstream-agent}: flags, file, environment, exit code. The only class of the agent that looks at the
 * process around it; {@link Agent} does the work.
 */
@Command(
        name = "rstream-agent",
        description = "Holds one rstream tunnel open and forwards its streams to a Service.",
        mixinStandardHelpOptions = true,
        versionProvider = AgentMain.Version.class,
        sortOptions = false)
public final class AgentMain implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(AgentMain.class);

    @Spec
    private @Nullable CommandSpec command;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "/etc/rstream-agent/config.yaml",
            description = "Configuration file. Default: ${DEFAULT-VALUE}")
    private Path config = Path.of("");

    @Option(
            names = "--health-bind-address",
            paramLabel = "ADDRESS",
            defaultValue = ":8081",
            description = "Address of /healthz and /readyz; \"\" switches them off. Default: ${DEFAULT-VALUE}")
    private String healthBindAddress = "";

    @Option(
            names = "--service-account-directory",
            paramLabel = "DIRECTORY",
            defaultValue = "/var/run/secrets/kubernetes.io/serviceaccount",
            description = "Where token and ca.crt of the pod's service account are. Default: ${DEFAULT-VALUE}")
    private Path serviceAccountDirectory = Path.of("");

    @Option(
            names = "--mount-root",
            paramLabel = "DIRECTORY",
            description = "What / stands for in paths of the configuration file, for an agent outside of a container.")
    private @Nullable Path mountRoot;

    private AgentMain() {}

    /** Runs the agent and ends the process: 0 after a signal, 1 for a failure, 2 for a wrong flag. */
    public static void main(String[] arguments) {
        CommandLine command = new CommandLine(new AgentMain())
                .setParameterExceptionHandler(AgentMain::refuse)
                .setExecutionExceptionHandler(AgentMain::failed);
        System.exit(command.execute(withDoubleDashes(arguments)));
    }

    @Override
    public Integer call() throws IOException {
        JsonLog.install(Level.INFO);
        Optional<BindAddress> healthAddress = healthAddress();
        String text;
        AgentConfig file;
        RetryPauses retry;
        try {
            text = AgentConfigFile.text(config);
            file = AgentConfigFile.parse(text);
            retry = RetryPauses.of(file.retry());
        } catch (ConfigException e) {
            log.atError().addKeyValue("error", e.getMessage()).log("Failed to load configuration");
            return ExitCode.FAILURE;
        }
        file = mountRoot == null ? file : file.below(mountRoot);
        AgentEnvironment environment = AgentEnvironment.of(file, System.getenv());
        AgentIdentity agent = AgentIdentity.of(environment.pod(), AgentConfigFile.hash(text), file.tunnel());
        return new Agent(file, retry, environment, agent, identity(), healthAddress, serviceAccountDirectory).run();
    }

    /** Not a picocli converter: picocli itself wraps what it converts for an Optional, and "" has to become empty. */
    private Optional<BindAddress> healthAddress() {
        try {
            return BindAddress.parse(healthBindAddress);
        } catch (IllegalArgumentException e) {
            CommandLine line = command == null ? new CommandLine(this) : command.commandLine();
            throw new CommandLine.ParameterException(line, "--health-bind-address: " + e.getMessage(), e);
        }
    }

    /** What the engine shows in its inventory; nothing depends on it. */
    private static ClientDetails identity() {
        String version = Version.text();
        String architecture = switch (System.getProperty("os.arch")) {
            case "aarch64" -> "arm64";
            case "x86_64" -> "amd64";
            case String other -> other;
        };
        return new ClientDetails(
                "rstream-operator-agent",
                version.endsWith("-SNAPSHOT") || version.equals(Version.UNKNOWN) ? "dev" : "stable",
                version,
                "linux",
                architecture,
                null,
                ProtocolVersion.CURRENT);
    }

    /** Go programs take {@code -flag} for {@code --flag} (operator reference, annex C). */
    private static String[] withDoubleDashes(String[] arguments) {
        return Arrays.stream(arguments)
                .map(argument -> argument.matches("-[a-z][a-z-]+(=.*)?") ? "-" + argument : argument)
                .toArray(String[]::new);
    }

    private static int refuse(CommandLine.ParameterException wrong, String[] arguments) {
        String problem = String.valueOf(wrong.getMessage()).lines().findFirst().orElse("wrong arguments");
        System.err.println("rstream-agent: " + problem + "; see rstream-agent --help");
        return ExitCode.USAGE;
    }

    private static int failed(Exception failure, CommandLine command, CommandLine.ParseResult flags) {
        log.atError().setCause(failure).log("Agent failed");
        return ExitCode.FAILURE;
    }

    /** The version that the build writes into the manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        private static final String UNKNOWN = "development";

        @Override
        public String[] getVersion() {
            return new String[] {"rstream-agent " + text()};
        }

        private static String text() {
            String version = AgentMain.class.getPackage().getImplementationVersion();
            return version == null ? UNKNOWN : version;
        }
    }
}
