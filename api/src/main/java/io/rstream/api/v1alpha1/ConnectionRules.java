package io.rstream.api.v1alpha1;

import java.net.IDN;
import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a connection's fields must agree on. Pure: the object is all it looks at, not the Secrets that it names. The
 * first six messages are also those of the rules in the resource definition; the others are known here only.
 */
public final class ConnectionRules {

    static final String ONE_CREDENTIAL = "exactly one of tokenSecretRef or mtls must be set";
    static final String ONE_SELECTOR = "exactly one of projectEndpoint, projectID, or engine must be set";
    static final String PROJECT_REQUIRES_TOKEN = "projectEndpoint and projectID require tokenSecretRef";
    static final String ENGINE_WITHOUT_REGION = "region cannot be used with an explicit engine";
    static final String ENGINE_WITHOUT_HEADERS = "controlPlaneHeaders cannot be used with an explicit engine";
    static final String CA_WITHOUT_MTLS = "caSecretRef cannot be used with mtls, use mtls.caSecretRef";

    /** Said of names that are too long as well (operator reference, annex A.2). */
    private static final String REGION_CHARACTERS =
            "region can only contain letters, numbers, dots, underscores, or hyphens";

    private static final Pattern REGION = Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?");

    // Host names, IPv4 addresses and bracketed IPv6 addresses, each with an optional port.
    private static final Pattern ENGINE =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^\\s:/\\[\\]]+))(?::([0-9]{1,5}))?");
    private static final Pattern LABEL = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
    private static final int LONGEST_HOST = 253;
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    /** Headers that HTTP or the operator itself sets (operator reference, annex A.1). */
    private static final Set<String> RESERVED_HEADERS = Set.of(
            "authorization",
            "connection",
            "content-length",
            "cookie",
            "forwarded",
            "host",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private ConnectionRules() {}

    /** Everything that is wrong with the connection, in the order of its fields' documentation; empty when it is fine. */
    public static List<Violation> violations(RstreamConnection connection) {
        var unreadable = connection.unreadableSpec();
        if (unreadable.isPresent()) {
            return List.of(unreadable.get());
        }
        var spec = connection.declared();
        var found = new ArrayList<Violation>();
        checkCredential(spec, found);
        checkSelector(spec, found);
        if (spec.engine() == null) {
            checkProject(spec, found);
        } else {
            checkEngine(spec, spec.engine(), found);
        }
        checkHeaders(spec.controlPlaneHeaders(), found);
        return List.copyOf(found);
    }

    private static void checkCredential(RstreamConnectionSpec spec, List<Violation> found) {
        if ((spec.tokenSecretRef() == null) == (spec.mtls() == null)) {
            found.add(new Violation("spec", ONE_CREDENTIAL, spec.mtls() == null ? "neither is set" : "both are set"));
        }
        if (spec.caSecretRef() != null && spec.mtls() != null) {
            found.add(new Violation(
                    "spec.caSecretRef", CA_WITHOUT_MTLS, spec.caSecretRef().name()));
        }
    }

    private static void checkSelector(RstreamConnectionSpec spec, List<Violation> found) {
        var selectors = Stream.of(
                        spec.projectEndpoint() == null ? null : "projectEndpoint",
                        spec.projectID() == null ? null : "projectID",
                        spec.engine() == null ? null : "engine")
                .filter(Objects::nonNull)
                .toList();
        if (selectors.size() != 1) {
            var set = selectors.isEmpty() ? "none is set" : String.join(", ", selectors) + " are set";
            found.add(new Violation("spec", ONE_SELECTOR, set));
        }
    }

    private static void checkProject(RstreamConnectionSpec spec, List<Violation> found) {
        if (spec.region() != null && !REGION.matcher(spec.region().strip()).matches()) {
            found.add(Violation.quoting("spec.region", REGION_CHARACTERS, spec.region()));
        }
        if (spec.tokenSecretRef() == null) {
            found.add(new Violation("spec.tokenSecretRef", PROJECT_REQUIRES_TOKEN, "not set"));
        }
    }

    private static void checkEngine(RstreamConnectionSpec spec, String engine, List<Violation> found) {
        if (spec.region() != null) {
            found.add(Violation.quoting("spec.region", ENGINE_WITHOUT_REGION, spec.region()));
        }
        if (!spec.controlPlaneHeaders().isEmpty()) {
            found.add(new Violation(
                    "spec.controlPlaneHeaders",
                    ENGINE_WITHOUT_HEADERS,
                    spec.controlPlaneHeaders().stream()
                            .map(ControlPlaneHeader::name)
                            .collect(Collectors.joining(", "))));
        }
        checkAddress(engine, found);
    }

    /** What the agent refuses for good must not reach it (rstream protocol, section 4.1). */
    private static void checkAddress(String engine, List<Violation> found) {
        var address = ENGINE.matcher(engine.strip());
        if (!address.matches() || !isPort(address.group(3)) || !isAbsentOrIpv6(address.group(1))) {
            found.add(new Violation(
                    "spec.engine",
                    "engine \"%s\" is not an address; use host:port, such as edge.example.com:443".formatted(engine)));
        } else if (address.group(2) != null && !isHostName(address.group(2))) {
            found.add(new Violation(
                    "spec.engine",
                    ("engine \"%s\" has no valid host name; between its dots use 1 to 63 letters, digits and inner"
                                    + " hyphens, such as edge.example.com:443")
                            .formatted(engine)));
        }
    }

    private static void checkHeaders(List<ControlPlaneHeader> headers, List<Violation> found) {
        var seen = new HashSet<String>();
        for (var index = 0; index < headers.size(); index++) {
            var name = headers.get(index).name().strip();
            var path = "spec.controlPlaneHeaders[%d].name".formatted(index);
            var lower = name.toLowerCase(Locale.ROOT);
            if (!HEADER_NAME.matcher(name).matches()) {
                found.add(new Violation(path, "invalid control plane header name \"%s\"".formatted(name)));
            } else if (RESERVED_HEADERS.contains(lower) || lower.startsWith("x-forwarded-")) {
                found.add(new Violation(
                        path, "reserved control plane header \"%s\"".formatted(canonicalHeaderName(name))));
            } else if (!seen.add(lower)) {
                found.add(new Violation(
                        path, "duplicate control plane header \"%s\"".formatted(canonicalHeaderName(name))));
            }
        }
    }

    private static boolean isPort(@Nullable String text) {
        return text == null || (Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= 65535);
    }

    private static boolean isAbsentOrIpv6(@Nullable String text) {
        try {
            return text == null || Inet6Address.ofLiteral(text) != null;
        } catch (IllegalArgumentException notAnAddress) {
            return false;
        }
    }

    /** A dot at the end marks an absolute name; international names count in their ASCII form. */
    private static boolean isHostName(String text) {
        var host = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        try {
            var ascii = IDN.toASCII(host).toLowerCase(Locale.ROOT);
            return ascii.length() <= LONGEST_HOST
                    && Stream.of(ascii.split("\\.", -1))
                            .allMatch(label -> LABEL.matcher(label).matches());
        } catch (IllegalArgumentException notAName) {
            return false;
        }
    }

    /** {@code x-api-KEY} to {@code X-Api-Key}, the form in which Go programs print header names. */
    public static String canonicalHeaderName(String name) {
        var text = new StringBuilder(name.strip().toLowerCase(Locale.ROOT));
        for (var index = 0; index < text.length(); index++) {
            if (index == 0 || text.charAt(index - 1) == '-') {
                text.setCharAt(index, Character.toUpperCase(text.charAt(index)));
            }
        }
        return text.toString();
    }
}
