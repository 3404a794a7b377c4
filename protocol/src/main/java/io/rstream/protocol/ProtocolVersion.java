package io.rstream.protocol;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The version string that clients send, and which of them we speak (rstream protocol, section 3). */
public final class ProtocolVersion {
    /** The version that this module implements. */
    public static final String CURRENT = "1.4.5";

    private static final Pattern VERSION = Pattern.compile("([0-9]{1,9})\\.[0-9]{1,9}\\.[0-9]{1,9}(?:[-+].{1,100})?");

    private ProtocolVersion() {}

    /**
     * The error with which an engine refuses a client of this version, or empty when it is welcome: any {@code 1.x.y}, and
     * a client that does not say, since some are built without the string.
     */
    public static Optional<WireError> refusal(@Nullable String version) {
        if (version == null || version.isEmpty()) {
            return Optional.empty();
        }
        var match = VERSION.matcher(version);
        if (!match.matches()) {
            return Optional.of(new WireError(
                    WireError.PROTOCOL_VERSION_INVALID, "The protocol version is not of the form 1.x.y."));
        }
        if (Integer.parseInt(match.group(1)) != 1) {
            return Optional.of(new WireError(
                    WireError.PROTOCOL_VERSION_INCOMPATIBLE, "This engine speaks protocol versions 1.x.y only."));
        }
        return Optional.empty();
    }
}
