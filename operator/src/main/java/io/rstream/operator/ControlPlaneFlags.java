package io.rstream.operator;

import io.rstream.operator.controlplane.ControlPlaneAccess;
import io.rstream.operator.controlplane.ControlPlaneOptions;
import io.rstream.operator.controlplane.ProxySettings;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags about control planes, a part of {@link OperatorMain}. */
final class ControlPlaneFlags {

    @Option(
            names = {"--allow-insecure-control-plane", "-allow-insecure-control-plane"},
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            description = "Allow apiURL with http, which sends tokens in clear text. Default ${DEFAULT-VALUE}.")
    private boolean allowInsecure;

    @Option(
            names = {"--control-plane-host", "-control-plane-host"},
            paramLabel = "HOST",
            description = "Allow apiURL with this host only; may be given several times. Default: any host.")
    private Set<String> hosts = Set.of();

    @Option(
            names = {"--control-plane-ca-file", "-control-plane-ca-file"},
            paramLabel = "FILE",
            description = "PEM certificates of authorities to trust for control planes, besides the usual ones.")
    private @Nullable Path caFile;

    /**
     * What the flags and the proxy variables say.
     *
     * @throws IllegalArgumentException when a variable is of no use; the message names it
     */
    ControlPlaneOptions options(Map<String, String> environment) {
        var allowed = hosts.stream()
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
        return new ControlPlaneOptions(
                new ControlPlaneAccess(allowInsecure, allowed), caFile, ProxySettings.of(environment));
    }
}
