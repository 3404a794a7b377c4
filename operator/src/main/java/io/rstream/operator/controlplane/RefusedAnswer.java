package io.rstream.operator.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;

/**
 * An answer other than a project, in the words of the operator reference, annex A.1.
 *
 * @param permanent whether asking again soon is pointless
 * @param message what to tell
 */
record RefusedAnswer(boolean permanent, String message) {

    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final Set<Integer> PASSING = Set.of(407, 408, 425, 429);
    private static final int LONGEST_ERROR = 512;

    private static final Map<Integer, String> PHRASES = Map.ofEntries(
            Map.entry(301, "Moved Permanently"),
            Map.entry(302, "Found"),
            Map.entry(303, "See Other"),
            Map.entry(307, "Temporary Redirect"),
            Map.entry(308, "Permanent Redirect"),
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(407, "Proxy Authentication Required"),
            Map.entry(408, "Request Timeout"),
            Map.entry(429, "Too Many Requests"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(502, "Bad Gateway"),
            Map.entry(503, "Service Unavailable"),
            Map.entry(504, "Gateway Timeout"));

    static RefusedAnswer of(int status, JsonNode answer, Credentials credentials) {
        var error = credentials.redact(answer.path("error").asText("").strip());
        var detail = error.isEmpty() ? "control-plane request failed: " + statusLine(status) : oneLine(error);
        return new RefusedAnswer(
                status < 500 && !PASSING.contains(status),
                switch (status) {
                    case UNAUTHORIZED -> "not authenticated: " + detail;
                    case FORBIDDEN -> "not authorized: " + detail;
                    default ->
                        status / 100 == 3
                                ? detail + "; redirects are not followed, set apiURL to where they lead"
                                : detail;
                });
    }

    private static String statusLine(int status) {
        var phrase = PHRASES.get(status);
        return phrase == null ? String.valueOf(status) : status + " " + phrase;
    }

    private static String oneLine(String error) {
        var line = error.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= LONGEST_ERROR ? line : line.substring(0, LONGEST_ERROR) + "…";
    }
}
