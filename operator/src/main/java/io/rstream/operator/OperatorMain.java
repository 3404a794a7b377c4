package io.rstream.operator;

import io.fabric8.kubernetes.client.Config;
import io.rstream.operator.controlplane.ControlPlaneOptions;
import io.rstream.operator.tunnel.AgentDefaults;
import io.rstream.process.Application;
import io.rstream.process.BindAddress;
import io.rstream.process.ExitCode;
import io.rstream.process.JsonLog;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The operator's command: reads flags, environment and kubeconfig, and runs until it is told to stop. */
@Command(
        name = "manager",
        description = "Runs agents for RstreamTunnel objects and reports on them.",
        versionProvider = OperatorMain.Version.class,
        sortOptions = false)
public final class OperatorMain implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger(OperatorMain.class);
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(8);
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    @Spec
    private @Nullable CommandSpec command;

    @Option(
            names = {"--metrics-bind-address", "-metrics-bind-address"},
            paramLabel = "ADDRESS",
            defaultValue = OperatorOptions.DEFAULT_METRICS_ADDRESS,
            description =
                    "Where metrics are served, as host:port or :port; empty or 0 turns them off. Default ${DEFAULT-VALUE}.")
    private String metricsBindAddress = "";

    @Option(
            names = {"--health-probe-bind-address", "-health-probe-bind-address"},
            paramLabel = "ADDRESS",
            defaultValue = OperatorOptions.DEFAULT_HEALTH_ADDRESS,
            description = "Where /healthz and /readyz are served; empty or 0 turns them off. Default ${DEFAULT-VALUE}.")
    private String healthProbeBindAddress = "";

    @Option(
            names = {"--leader-elect", "-leader-elect"},
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            description = "Work only while holding the Lease " + OperatorOptions.LEASE + ". Default ${DEFAULT-VALUE}.")
    private boolean leaderElect;

    @Option(
            names = {"--watch-namespace", "-watch-namespace"},
            paramLabel = "NAMESPACE",
            description = "Look at this namespace only; may be given several times. Default: all namespaces.")
    private Set<String> watchNamespaces = Set.of();

    @Option(
            names = {"--agent-image", "-agent-image"},
            paramLabel = "IMAGE",
            description =
                    "Image of agents whose tunnel names none. Default $RSTREAM_AGENT_IMAGE, else the image of this"
                            + " version.")
    private @Nullable String agentImage;

    @Option(
            names = {"--agent-image-pull-secret", "-agent-image-pull-secret"},
            paramLabel = "SECRET",
            description =
                    "Secret in each tunnel's namespace with which agents' images are pulled, beside those of the tunnel."
                            + " Can be given several times.")
    private List<String> agentImagePullSecrets = List.of();

    @Option(
            names = {"--kubeconfig", "-kubeconfig"},
            paramLabel = "FILE",
            description =
                    "How to reach the API server. Default: $KUBECONFIG or ~/.kube/config, else the pod's service account.")
    private @Nullable Path kubeconfig;

    @Mixin
    private ControlPlaneFlags controlPlaneFlags = new ControlPlaneFlags();

    @Option(
            names = {"--zap-log-level", "-zap-log-level"},
            paramLabel = "LEVEL",
            description = "debug, info, warn, error, or a number above 0 for debug. Default info.")
    private @Nullable String logLevel;

    @Option(
            names = {"--zap-devel", "-zap-devel"},
            arity = "0..1",
            fallbackValue = "true",
            description = "Accepted for compatibility, without effect.")
    private @Nullable String zapDevel;

    @Option(
            names = {
                "--zap-encoder",
                "-zap-encoder",
                "--zap-stacktrace-level",
                "-zap-stacktrace-level",
                "--zap-time-encoding",
                "-zap-time-encoding"
            },
            paramLabel = "VALUE",
            description = "Accepted for compatibility, without effect: logs are always JSON.")
    private @Nullable String zapOther;

    @Option(
            names = {"--help", "-help", "-h"},
            usageHelp = true,
            description = "Show this help and exit.")
    @SuppressWarnings("unused") // picocli reads the annotation, not the field
    private boolean help;

    @Option(
            names = {"--version", "-version"},
            versionHelp = true,
            description = "Show the version and exit.")
    @SuppressWarnings("unused") // picocli reads the annotation, not the field
    private boolean version;

    /** The entry point. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new OperatorMain()).setParameterExceptionHandler((failure, _) -> usageError(failure));
    }

    @Override
    public Integer call() {
        var level = level();
        JsonLog.install(level);
        var options = options(Optional.ofNullable(System.getenv("RSTREAM_AGENT_IMAGE")))
                .withControlPlane(controlPlane(System.getenv()));
        if (options.controlPlane().proxies().haveCredentials()) {
            // The JDK's clients leave a password out of a tunnel request unless this is said before the first is made.
            System.setProperty("jdk.http.auth.tunneling.disabledSchemes", "");
        }
        var kubernetes = kubernetes();
        var elected = leaderElect ? elected(options, kubernetes) : options;
        warnAboutIgnoredFlags();
        log.atInfo().addKeyValue("agentImage", options.agents().image()).log("Starting manager");
        var application = new Application("operator", STOP_DEADLINE);
        application.part(
                "operator",
                () -> OperatorProcess.start(
                        kubernetes, elected, reason -> application.requestStop(ExitCode.FAILURE, reason)));
        return application.run();
    }

    /** What the flags say, without leader election, which needs the cluster's namespace. */
    OperatorOptions options(Optional<String> agentImageVariable) {
        var image = Optional.ofNullable(agentImage)
                .filter(value -> !value.isBlank())
                .orElseGet(() -> OperatorOptions.defaultAgentImage(agentImageVariable, version()));
        return new OperatorOptions(
                address("--metrics-bind-address", metricsBindAddress),
                address("--health-probe-bind-address", healthProbeBindAddress),
                new AgentDefaults(image, pullSecrets()),
                null,
                namespaces(),
                ControlPlaneOptions.standard());
    }

    private Set<String> namespaces() {
        var wrong = watchNamespaces.stream()
                .filter(namespace -> !NAMESPACE.matcher(namespace).matches())
                .findFirst();
        if (wrong.isPresent()) {
            throw wrong(
                    "--watch-namespace \"%s\" is not the name of a namespace: lower-case letters, digits and inner dashes, at most 63"
                            .formatted(wrong.get()));
        }
        return watchNamespaces;
    }

    /** What the flags and the variables for proxies say about control planes. */
    ControlPlaneOptions controlPlane(Map<String, String> environment) {
        try {
            return controlPlaneFlags.options(environment);
        } catch (IllegalArgumentException wrong) {
            throw wrong(String.valueOf(wrong.getMessage()));
        }
    }

    private List<String> pullSecrets() {
        for (var name : agentImagePullSecrets) {
            if (name.isBlank()) {
                throw wrong("--agent-image-pull-secret is empty; name a Secret, or leave the flag out");
            }
        }
        return agentImagePullSecrets.stream().map(String::strip).distinct().toList();
    }

    Level level() {
        if (logLevel == null) {
            return Level.INFO;
        }
        return switch (logLevel) {
            case "debug" -> Level.DEBUG;
            case "info" -> Level.INFO;
            case "warn" -> Level.WARN;
            case "error", "panic" -> Level.ERROR;
            default -> {
                if (logLevel.matches("[1-9][0-9]*")) {
                    yield Level.DEBUG;
                }
                throw wrong("--zap-log-level \"%s\" is not a level; use debug, info, warn, error or a number above 0"
                        .formatted(logLevel));
            }
        };
    }

    private static OperatorOptions elected(OperatorOptions options, Config kubernetes) {
        var namespace = kubernetes.getNamespace() == null ? "default" : kubernetes.getNamespace();
        var host = Optional.ofNullable(System.getenv("HOSTNAME"))
                .filter(name -> !name.isBlank())
                .orElse("operator");
        var identity = host + "_" + UUID.randomUUID();
        return options.withLeaderElection(new OperatorOptions.LeaderElection(namespace, identity));
    }

    private Config kubernetes() {
        if (kubeconfig == null) {
            return Config.autoConfigure(null);
        }
        if (!Files.isReadable(kubeconfig)) {
            throw wrong("--kubeconfig %s cannot be read; name an existing kubeconfig file".formatted(kubeconfig));
        }
        return Config.fromKubeconfig(kubeconfig.toFile());
    }

    private @Nullable BindAddress address(String flag, String text) {
        if (text.equals("0")) {
            return null; // how Go operators turn metrics off
        }
        try {
            return BindAddress.parse(text).orElse(null);
        } catch (IllegalArgumentException wrong) {
            throw wrong("%s: %s".formatted(flag, wrong.getMessage()));
        }
    }

    private void warnAboutIgnoredFlags() {
        if (zapDevel != null || zapOther != null) {
            log.atWarn()
                    .log("The flags --zap-devel, --zap-encoder, --zap-stacktrace-level and --zap-time-encoding have no"
                            + " effect");
        }
    }

    private ParameterException wrong(String message) {
        var line = command == null ? new CommandLine(this) : command.commandLine();
        return new ParameterException(line, message);
    }

    private static int usageError(ParameterException failure) {
        failure.getCommandLine().getErr().println(failure.getMessage());
        return ExitCode.USAGE;
    }

    private static String version() {
        try (InputStream text = OperatorMain.class.getResourceAsStream("version.txt")) {
            if (text == null) {
                throw new IllegalStateException("version.txt is missing from the build");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException unreadable) {
            throw new UncheckedIOException("version.txt cannot be read", unreadable);
        }
    }

    /** Prints the version for {@code --version}. */
    static final class Version implements CommandLine.IVersionProvider {

        @Override
        public String[] getVersion() {
            return new String[] {version()};
        }
    }
}
