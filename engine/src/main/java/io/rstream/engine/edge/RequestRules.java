package io.rstream.engine.edge;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.rstream.engine.edge.RequestDecision.Sound;
import io.rstream.engine.edge.RequestDecision.Unsound;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which requests are sound enough to be forwarded. Everything that two HTTP parsers could read differently is refused, since
 * that is what request smuggling lives on (RFC 9112, sections 3, 6.3 and 11.2). The decoder has refused malformed lines,
 * folded lines and conflicting lengths before.
 */
final class RequestRules {
    private static final Pattern ABSOLUTE = Pattern.compile("(?i:https?)://([^/?#]*)([/?].*)?");
    private static final Set<HttpMethod> REPEATABLE = Set.of(
            HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.TRACE, HttpMethod.PUT, HttpMethod.DELETE);

    /** Far more than any caller sends, and few enough that going through them costs an event loop nothing. */
    static final int MOST_HEADERS = 1_000;

    static final int MOST_CONNECTION_OPTIONS = 32;

    private RequestRules() {}

    static RequestDecision decide(HttpRequest request) {
        HttpVersion version = request.protocolVersion();
        if (!version.protocolName().equals("HTTP") || version.majorVersion() != 1) {
            return new Unsound(new EdgeAnswer(
                    HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, "This HTTP version is not supported."));
        }
        if (request.method().equals(HttpMethod.CONNECT)) {
            return new Unsound(new EdgeAnswer(HttpResponseStatus.NOT_IMPLEMENTED, "CONNECT is not supported."));
        }
        if (!isPrintable(request.uri())) {
            return new Unsound(EdgeAnswer.bad("The request target holds characters that are not allowed."));
        }
        if (request.headers().size() > MOST_HEADERS
                || ForwardedHead.connectionOptions(request.headers()).size() > MOST_CONNECTION_OPTIONS) {
            return new Unsound(EdgeAnswer.bad("The request has more header fields than are allowed."));
        }
        if (!hasSoundLength(request)) {
            return new Unsound(EdgeAnswer.bad("The request says in more than one way how long it is."));
        }
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1) {
            return new Unsound(EdgeAnswer.bad("The request needs exactly one Host."));
        }
        return target(request, hosts.getFirst());
    }

    /** Whether the request may be sent a second time when it is not known what became of the first (RFC 9110, 9.2.2). */
    static boolean isRepeatable(HttpRequest request) {
        return REPEATABLE.contains(request.method()) && !hasBody(request);
    }

    static boolean hasBody(HttpRequest request) {
        HttpHeaders headers = request.headers();
        String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        return headers.contains(HttpHeaderNames.TRANSFER_ENCODING) || (length != null && !length.equals("0"));
    }

    private static RequestDecision target(HttpRequest request, String host) {
        String uri = request.uri();
        String authorityText = host;
        String target = uri;
        Matcher absolute = ABSOLUTE.matcher(uri);
        if (absolute.matches()) {
            // RFC 9112, section 3.2.2: the target's authority counts, not Host.
            authorityText = absolute.group(1);
            String rest = absolute.group(2);
            target = rest == null ? "/" : rest.startsWith("?") ? "/" + rest : rest;
        } else if (!uri.startsWith("/") && !(uri.equals("*") && request.method().equals(HttpMethod.OPTIONS))) {
            return new Unsound(EdgeAnswer.bad("The request target must begin with a slash."));
        }
        Optional<Authority> authority = Authority.of(authorityText);
        if (authority.isEmpty()) {
            return new Unsound(EdgeAnswer.bad("The Host of the request is malformed."));
        }
        return new Sound(authority.get(), target, offersUpgrade(request));
    }

    private static boolean hasSoundLength(HttpRequest request) {
        HttpHeaders headers = request.headers();
        List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (headers.getAll(HttpHeaderNames.CONTENT_LENGTH).size() > 1) {
            return false;
        }
        if (codings.isEmpty()) {
            return true;
        }
        return codings.size() == 1
                && codings.getFirst().equalsIgnoreCase(HttpHeaderValues.CHUNKED.toString())
                && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)
                && request.protocolVersion().minorVersion() > 0;
    }

    /** An upgrade to another version of HTTP would lead around the edge, so it is not passed on. */
    private static boolean offersUpgrade(HttpRequest request) {
        HttpHeaders headers = request.headers();
        List<String> upgrades = headers.getAll(HttpHeaderNames.UPGRADE);
        if (upgrades.isEmpty() || hasBody(request) || request.protocolVersion().minorVersion() == 0) {
            return false;
        }
        boolean http = upgrades.stream()
                .map(upgrade -> upgrade.toLowerCase(Locale.ROOT))
                .anyMatch(upgrade -> upgrade.contains("h2c") || upgrade.contains("http/"));
        return !http && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true);
    }

    private static boolean isPrintable(String uri) {
        return !uri.isEmpty() && uri.chars().allMatch(character -> character > ' ' && character < 0x7f);
    }
}
