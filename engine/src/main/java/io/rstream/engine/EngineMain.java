package io.rstream.engine;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rstream.engine.agents.Permission;
import io.rstream.engine.agents.Tokens;
import io.rstream.engine.config.ConfigException;
import io.rstream.engine.config.EngineConfig;
import io.rstream.engine.config.EngineConfigFile;
import io.rstream.process.Application;
import io.rstream.process.BindAddress;
import io.rstream.process.Durations;
import io.rstream.process.ExitCode;
import io.rstream.process.JsonLog;
import io.rstream.process.ManagementServer;
import io.rstream.process.Readiness;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

/** The engine's command line: flags in, exit code out. */
@Command(
        name = "rstream-engine",
        description = "The edge of self-hosted rstream tunnels: agents on one side, public traffic on the other.",
        mixinStandardHelpOptions = true,
        versionProvider = EngineMain.Version.class,
        subcommands = {
            EngineMain.Run.class,
            EngineMain.Check.class,
            EngineMain.Token.class,
            EngineMain.VersionCommand.class
        },
        footer = {
            "",
            "Without a command, run is meant.",
            "",
            "Examples:",
            "  rstream-engine run --config=engine.yaml",
            "  rstream-engine check --config=engine.yaml",
            "  rstream-engine token --config=engine.yaml --subject=team-a --expires=720h",
            "",
            "Exit codes: 0 stopped by a signal or done, 1 cannot start or check failed, 2 wrong command line.",
        })
public final class EngineMain implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(EngineMain.class);
    private static final String CONFIG = "--config";
    private static final Duration STOP_MARGIN = Duration.ofSeconds(15);

    @Spec
    private @Nullable CommandSpec spec;

    private EngineMain() {}

    /** Starts the engine or one of its tools. */
    public static void main(String[] arguments) {
        System.exit(execute(
                arguments,
                new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8)));
    }

    /** What {@link #main} does, without leaving the process. */
    static int execute(String[] arguments, PrintWriter out, PrintWriter err) {
        return new CommandLine(new EngineMain())
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler((problem, _) -> usageProblem(problem, err))
                .execute(withCommand(arguments));
    }

    /** Reached when nothing but options of our own was given. */
    @Override
    public Integer call() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getErr());
        }
        return ExitCode.USAGE;
    }

    private static String[] withCommand(String[] arguments) {
        if (arguments.length == 0 || !arguments[0].startsWith("-") || isAboutUs(arguments[0])) {
            return arguments;
        }
        List<String> completed = new ArrayList<>(List.of("run"));
        completed.addAll(Arrays.asList(arguments));
        return completed.toArray(String[]::new);
    }

    private static boolean isAboutUs(String argument) {
        return List.of("-h", "--help", "-V", "--version").contains(argument);
    }

    private static int usageProblem(CommandLine.ParameterException problem, PrintWriter err) {
        String command = problem.getCommandLine().getCommandSpec().qualifiedName();
        err.println(problem.getMessage() + "; see " + command + " --help");
        return ExitCode.USAGE;
    }

    /** {@code run}. */
    @Command(
            name = "run",
            description = "Runs the engine until it is told to stop.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  rstream-engine run --config=engine.yaml"})
    static final class Run implements Callable<Integer> {
        @Option(names = CONFIG, required = true, paramLabel = "FILE", description = "Configuration file (YAML).")
        private @Nullable Path config;

        @Option(
                names = "--log-level",
                paramLabel = "LEVEL",
                defaultValue = "info",
                description = "debug, info, warn or error; default ${DEFAULT-VALUE}.")
        private String logLevel = "info";

        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() {
            JsonLog.install(level());
            EngineConfig settings;
            try {
                settings = EngineConfigFile.read(required(config));
            } catch (ConfigException problem) {
                log.atError().addKeyValue("error", problem.getMessage()).log("engine cannot start: configuration");
                return ExitCode.FAILURE;
            }
            return run(settings);
        }

        private static int run(EngineConfig settings) {
            Readiness readiness = new Readiness();
            readiness.set("listener", false, "starting");
            PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            Application application =
                    new Application("engine", settings.timeouts().drain().plus(STOP_MARGIN));
            BindAddress management = settings.management();
            if (management != null) {
                application.part("management", () -> management(management, readiness, meters));
            }
            return application
                    .part("listener", () -> {
                        Engine engine = Engine.start(settings, meters, Clock.systemUTC());
                        readiness.set("listener", true, "listening");
                        return () -> {
                            readiness.set("listener", false, "stopping");
                            engine.close();
                        };
                    })
                    .run();
        }

        private static ManagementServer management(
                BindAddress address, Readiness readiness, PrometheusMeterRegistry meters) throws java.io.IOException {
            ManagementServer server = ManagementServer.start(
                    address,
                    Map.of(
                            "/healthz", ManagementServer.healthz(),
                            "/readyz", ManagementServer.readyz(readiness::ready),
                            "/metrics", ManagementServer.metrics(meters)));
            log.atInfo().addKeyValue("port", server.port()).log("Management listening");
            return server;
        }

        private Level level() {
            try {
                return Level.valueOf(logLevel.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException unknown) {
                CommandSpec own = spec;
                if (own == null) {
                    throw new IllegalStateException("picocli sets the spec", unknown);
                }
                throw new CommandLine.ParameterException(
                        own.commandLine(),
                        "--log-level " + logLevel + " is unknown; use debug, info, warn or error",
                        unknown);
            }
        }
    }

    /** {@code check}. */
    @Command(
            name = "check",
            description = "Checks configuration, secret and certificate without starting anything.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  rstream-engine check --config=engine.yaml"})
    static final class Check implements Callable<Integer> {
        @Option(names = CONFIG, required = true, paramLabel = "FILE", description = "Configuration file (YAML).")
        private @Nullable Path config;

        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() {
            quiet();
            PrintWriter out = out(spec);
            PrintWriter err = err(spec);
            try {
                var findings = new ConfigCheck(Clock.systemUTC()).check(EngineConfigFile.read(required(config)));
                findings.problems().forEach(problem -> err.println("problem: " + problem));
                findings.notes().forEach(note -> out.println("note: " + note));
                if (!findings.problems().isEmpty()) {
                    return ExitCode.FAILURE;
                }
                out.println("ok: " + config + " can be used");
                return ExitCode.OK;
            } catch (ConfigException problem) {
                err.println("problem: " + problem.getMessage());
                return ExitCode.FAILURE;
            }
        }
    }

    /** {@code token}. */
    @Command(
            name = "token",
            description = "Prints a token for agents, dialers or API clients (JWT, HS256).",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Examples:",
                "  rstream-engine token --config=engine.yaml",
                "  rstream-engine token --config=engine.yaml --subject=ci --expires=24h --permission=tunnels.resources.read-only",
            })
    static final class Token implements Callable<Integer> {
        @Option(names = CONFIG, required = true, paramLabel = "FILE", description = "Configuration file (YAML).")
        private @Nullable Path config;

        @Option(
                names = "--subject",
                paramLabel = "NAME",
                description = "Whom the token is for. Agents with the same subject may take over each other's tunnels.")
        private @Nullable String subject;

        @Option(
                names = "--expires",
                paramLabel = "DURATION",
                description = "How long it is valid, such as 720h; default for ever.")
        private @Nullable String expires;

        @Option(
                names = "--permission",
                paramLabel = "PERMISSION",
                description =
                        "What it allows; may be repeated; default everything. Known: tunnels.tunnels.create-delete,"
                                + " tunnels.streams.create-delete, tunnels.resources.read-only.")
        private @Nullable List<String> permissions;

        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() {
            quiet();
            try {
                Duration lifetime = lifetime();
                checkPermissions();
                EngineConfig settings = EngineConfigFile.read(required(config));
                Tokens tokens = Engine.tokens(settings.auth(), Clock.systemUTC());
                if (tokens == null) {
                    err(spec).println("auth.tokenSecretFile is missing; name a file with the secret that signs tokens");
                    return ExitCode.FAILURE;
                }
                out(spec).println(tokens.issue(subject, lifetime, permissions).reveal());
                return ExitCode.OK;
            } catch (ConfigException problem) {
                err(spec).println(problem.getMessage());
                return ExitCode.FAILURE;
            } catch (IllegalArgumentException wrong) {
                err(spec).println(wrong.getMessage());
                return ExitCode.USAGE;
            }
        }

        private @Nullable Duration lifetime() {
            if (expires == null) {
                return null;
            }
            Duration lifetime = Durations.parse(expires);
            if (lifetime.toSeconds() < 1) {
                throw new IllegalArgumentException("--expires " + expires + " is too short; use 1s or more");
            }
            return lifetime;
        }

        private void checkPermissions() {
            if (permissions == null) {
                return;
            }
            for (String permission : permissions) {
                if (Permission.of(permission).isEmpty()) {
                    throw new IllegalArgumentException(
                            "--permission " + permission + " is unknown; see rstream-engine token --help");
                }
            }
        }
    }

    /** {@code version}. */
    @Command(name = "version", description = "Prints the version.", mixinStandardHelpOptions = true)
    static final class VersionCommand implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() {
            out(spec).println(EngineVersion.CURRENT);
            return ExitCode.OK;
        }
    }

    /** For {@code --version}. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {EngineVersion.CURRENT};
        }
    }

    /** The tools print their own sentences; what they use must not write between them. */
    private static void quiet() {
        JsonLog.install(Level.ERROR);
    }

    private static Path required(@Nullable Path config) {
        if (config == null) {
            throw new IllegalStateException("picocli insists on --config");
        }
        return config;
    }

    private static PrintWriter out(@Nullable CommandSpec spec) {
        if (spec == null) {
            throw new IllegalStateException("picocli sets the spec");
        }
        return spec.commandLine().getOut();
    }

    private static PrintWriter err(@Nullable CommandSpec spec) {
        if (spec == null) {
            throw new IllegalStateException("picocli sets the spec");
        }
        return spec.commandLine().getErr();
    }
}
