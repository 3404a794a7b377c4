package io.rstream.engine.tunnels;

import io.rstream.engine.tunnels.HostnameDecision.Allocate;
import io.rstream.engine.tunnels.HostnameDecision.Granted;
import io.rstream.engine.tunnels.HostnameDecision.Refused;
import io.rstream.protocol.WireError;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Host names of published HTTP tunnels: one label below the tunnel domain, since that is what a wildcard certificate covers
 * (protocol, section 16). The command-line client invents names of the form {@code r1a2b3c4d-<endpoint>.t.<cluster>}; where
 * these lie outside the tunnel domain, the engine allocates a name of its own instead of refusing (section 16.2).
 */
public final class Hostnames {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern GENERATED = Pattern.compile("r[0-9a-f]{8}-.+");
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_NAME = 253;
    private static final int SLUG = 9;

    private final String suffix;
    private final String endpoint;
    private final String engineHost;

    /**
     * Rules of one engine.
     *
     * @param engineHost its own host name, lower case
     * @param tunnelDomain the domain of tunnels, lower case
     */
    public Hostnames(String engineHost, String tunnelDomain) {
        this.engineHost = engineHost;
        this.suffix = "." + tunnelDomain;
        int dot = engineHost.indexOf('.');
        this.endpoint = dot < 0 ? engineHost : engineHost.substring(0, dot);
    }

    /** Decides on the requested name; null or blank leaves the choice to the engine. */
    public HostnameDecision decide(@Nullable String requested) {
        if (requested == null || requested.isBlank()) {
            return new Allocate();
        }
        String hostname = canonical(requested);
        if (!valid(hostname)) {
            return refused("hostname is not a valid host name.");
        }
        if (hostname.endsWith(suffix) && !hostname.equals(engineHost)) {
            String label = hostname.substring(0, hostname.length() - suffix.length());
            if (label.indexOf('.') < 0) {
                return new Granted(hostname);
            }
        }
        if (GENERATED.matcher(hostname).matches()) {
            return new Allocate();
        }
        return refused("Custom hostname is not verified for this project.");
    }

    /**
     * A name of the engine's choice.
     *
     * @param slugDigits eight hexadecimal digits that make it unique
     */
    public String allocate(String slugDigits) {
        String label = "r" + slugDigits + "-" + endpoint;
        return (label.length() > LONGEST_LABEL ? label.substring(0, SLUG) : label) + suffix;
    }

    /**
     * Eight digits that are always the same for this tunnel of this principal, so that a tunnel keeps its allocated name
     * across restarts of agent and engine.
     */
    public static String stableDigits(String principal, String tunnelName) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(principal.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            byte[] hash = digest.digest(tunnelName.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 4);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }

    /** Lower case, without the dot of an absolute name. */
    public static String canonical(String hostname) {
        String lower = hostname.strip().toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    private static boolean valid(String hostname) {
        if (hostname.length() > LONGEST_NAME) {
            return false;
        }
        for (String label : hostname.split("\\.", -1)) {
            if (!LABEL.matcher(label).matches()) {
                return false;
            }
        }
        return true;
    }

    private static Refused refused(String message) {
        return new Refused(new WireError(WireError.INVALID_REQUEST, message));
    }
}
