package io.rstream.protocol;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An error as it travels on the wire (rstream protocol, section 8). Codes that are not named here are kept as they are.
 *
 * @param code the number; its thousands tell the class
 * @param message text for people, or null
 */
public record WireError(int code, @Nullable String message) {
    /** Nothing is said about the cause. */
    public static final int UNSPECIFIED = 0;
    /** The credential is missing, wrong or not sufficient. */
    public static final int UNAUTHORIZED = 1000;
    /** The request contradicts itself or the protocol. */
    public static final int INVALID_REQUEST = 2000;
    /** The client did not say which protocol version it speaks. */
    public static final int PROTOCOL_VERSION_MISSING = 2010;
    /** The protocol version cannot be read. */
    public static final int PROTOCOL_VERSION_INVALID = 2020;
    /** The protocol version is one that the engine does not speak. */
    public static final int PROTOCOL_VERSION_INCOMPATIBLE = 2030;
    /** No such tunnel. */
    public static final int TUNNEL_NOT_FOUND = 3000;
    /** The stream is unknown, expired or used, or its secret is wrong. */
    public static final int INVALID_STREAM = 4000;
    /** This engine cannot do what was asked for. */
    public static final int FEATURE_NOT_AVAILABLE = 5000;
    /** Something that the request needs is away for now. */
    public static final int SERVICE_UNAVAILABLE = 6000;
    /** A limit is reached. */
    public static final int CAPACITY_EXHAUSTED = 7000;
    /** A fault of the engine. */
    public static final int INTERNAL = 9000;

    /** Message of {@link #INVALID_REQUEST} when another tunnel holds the hostname; clients try again. */
    public static final String HOSTNAME_IN_USE = "Hostname is already in use.";

    /** Message of {@link #INVALID_REQUEST} when another tunnel has the name; clients try again. */
    public static final String TUNNEL_NAME_IN_USE = "Tunnel name is already in use.";

    /** Seen in tests of other clients (rstream protocol, section 8). */
    private static final int CONFLICT_OF_TESTS = 409;

    private static final String PORT_IN_USE_START = "Published TCP port ";
    private static final String PORT_IN_USE_END = " is already in use.";

    /**
     * Message of {@link #INVALID_REQUEST} when another tunnel holds the port; clients try again.
     *
     * @param port 1 to 65535
     */
    public static String portInUse(int port) {
        return PORT_IN_USE_START + port + PORT_IN_USE_END;
    }

    /**
     * Whether the same request may succeed later: codes 6000, 7000, 9000, and a hostname, tunnel name or port that another
     * tunnel still has. The other tunnel is often the caller's own of a moment ago.
     */
    public boolean retryable() {
        return switch (code) {
            case SERVICE_UNAVAILABLE, CAPACITY_EXHAUSTED, INTERNAL -> true;
            default -> isConflict();
        };
    }

    /**
     * Whether another tunnel has the hostname, the tunnel name or the port. Engines word it differently, and newer ones have a
     * code of their own among 4001 to 4999 whose number is not known (rstream protocol, section 8).
     */
    public boolean isConflict() {
        return switch (code) {
            case INVALID_REQUEST, CONFLICT_OF_TESTS -> message != null && speaksOfConflict(message);
            default -> code > INVALID_STREAM && code < FEATURE_NOT_AVAILABLE;
        };
    }

    private static boolean speaksOfConflict(String message) {
        return message.toLowerCase(Locale.ROOT).contains("already in use");
    }

    /** {@code engine error <code>: <message>}, without the colon when there is no message. */
    public String describe() {
        return message == null || message.isEmpty() ? "engine error " + code : "engine error " + code + ": " + message;
    }
}
