package io.rstream.operator.controlplane;

import io.rstream.api.v1alpha1.WellKnown;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Where the operator may send tokens. Whoever can write a connection chooses the control plane and a Secret of the namespace,
 * so clear text is refused except to this machine, and an administrator can name the hosts that count.
 *
 * @param allowInsecure whether plain HTTP is fine for every host
 * @param hosts the only hosts that may be asked, in lower case; empty for any
 */
public record ControlPlaneAccess(boolean allowInsecure, Set<String> hosts) {

    /** Any host, over HTTPS. */
    public static final ControlPlaneAccess DEFAULT = new ControlPlaneAccess(false, Set.of());

    public ControlPlaneAccess {
        hosts = Set.copyOf(hosts);
    }

    /** The base URL in the form that is used and shown: stripped, without slashes at the end; the public one if absent. */
    public static String normalized(@Nullable String apiUrl) {
        var text = apiUrl == null ? "" : apiUrl.strip();
        while (text.endsWith("/")) {
            text = text.substring(0, text.length() - 1);
        }
        return text.isEmpty() ? WellKnown.DEFAULT_API_URL : text;
    }

    /**
     * Why a base URL is not used; empty when it is fine.
     *
     * @param apiUrl normalised
     */
    public Optional<String> objection(String apiUrl) {
        URI uri;
        try {
            uri = new URI(apiUrl).parseServerAuthority();
        } catch (URISyntaxException notAUrl) {
            return Optional.of(notAUrl(apiUrl));
        }
        if (uri.getRawUserInfo() != null) {
            return Optional.of(
                    "apiURL holds a user name or password; remove it, the token of tokenSecretRef is sent instead");
        }
        var scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        var host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
        if (host.isEmpty() || !Set.of("http", "https").contains(scheme)) {
            return Optional.of(notAUrl(apiUrl));
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            return Optional.of("apiURL \"%s\" has a query or a fragment; use the base URL, such as %s"
                    .formatted(apiUrl, WellKnown.DEFAULT_API_URL));
        }
        if (scheme.equals("http") && !allowInsecure && !isLoopback(host)) {
            return Optional.of(
                    ("apiURL \"%s\" would send the token in clear text; use https, or start the operator with"
                                    + " --allow-insecure-control-plane")
                            .formatted(apiUrl));
        }
        if (!hosts.isEmpty() && !hosts.contains(host)) {
            return Optional.of(
                    ("apiURL host \"%s\" is not one of the control planes that this operator may ask (%s); use one of"
                                    + " them, or start the operator with another --control-plane-host")
                            .formatted(host, String.join(", ", new TreeSet<>(hosts))));
        }
        return Optional.empty();
    }

    private static String notAUrl(String apiUrl) {
        return "apiURL \"%s\" is not the URL of a control plane; use https and a host name, such as %s"
                .formatted(apiUrl, WellKnown.DEFAULT_API_URL);
    }

    static boolean isLoopback(String host) {
        return host.equals("localhost")
                || host.endsWith(".localhost")
                || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}")
                || host.equals("[::1]")
                || host.equals("::1");
    }
}
