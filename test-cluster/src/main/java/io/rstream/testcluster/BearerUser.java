package io.rstream.testcluster;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads who a request claims to be from its bearer token, without checking it: the API server does that. */
final class BearerUser {

    private static final Pattern SUBJECT = Pattern.compile("\"sub\"\\s*:\\s*\"([^\"]+)\"");

    private BearerUser() {}

    static String of(@Nullable String authorization, String adminToken) {
        if (authorization == null || !authorization.startsWith("Bearer ")) {
            return "system:anonymous";
        }
        var token = authorization.substring("Bearer ".length());
        if (token.equals(adminToken)) {
            return ControlPlaneDirectory.ADMIN;
        }
        var parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return "unknown";
        }
        try {
            var claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
            var subject = SUBJECT.matcher(claims);
            return subject.find() ? subject.group(1) : "unknown";
        } catch (IllegalArgumentException _) {
            return "unknown";
        }
    }
}
