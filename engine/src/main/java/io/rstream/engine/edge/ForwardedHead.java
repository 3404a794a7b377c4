package io.rstream.engine.edge;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The head of a request as the service sees it, and of a response as the caller sees it: the same, but for headers that
 * concern one connection only (RFC 9110, section 7.6.1) and for X-Forwarded-*, which the engine alone sets.
 */
final class ForwardedHead {
    /** Names under which services look for the caller's address, besides X-Forwarded-*. */
    private static final Set<String> FORWARDING =
            Set.of("forwarded", "x-real-ip", "true-client-ip", "x-client-ip", "x-cluster-client-ip", "client-ip");

    private static final String FORWARDING_PREFIX = "x-forwarded-";
    private static final Set<String> CONNECTION_ONLY = Set.of(
            "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "http2-settings");
    /** Methods whose request without a body says so (RFC 9110, section 8.6). */
    private static final Set<HttpMethod> WITH_BODY = Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

    /** What Netty's conversion from HTTP/2 adds. */
    private static final Set<String> EXTENSIONS = Stream.of(ExtensionHeaderNames.values())
            .map(name -> name.text().toString())
            .collect(Collectors.toUnmodifiableSet());

    /** What a Connection header cannot take away, since it decides where a message goes and where it ends. */
    private static final Set<String> KEPT = Set.of("host", "content-length", "transfer-encoding");

    private ForwardedHead() {}

    static HttpRequest request(HttpRequest received, RequestDecision.Sound sound, InetAddress remote) {
        HttpRequest forwarded = new DefaultHttpRequest(HttpVersion.HTTP_1_1, received.method(), sound.target());
        HttpHeaders headers = forwarded.headers();
        HttpHeaders original = received.headers();
        copyEndToEnd(original, headers, name -> !isForwarding(name) && !EXTENSIONS.contains(name));
        headers.set(HttpHeaderNames.HOST, sound.authority().text());
        headers.set("X-Forwarded-For", remote.getHostAddress());
        headers.set("X-Forwarded-Proto", "https");
        headers.set("X-Forwarded-Host", sound.authority().text());
        if (original.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        } else if (WITH_BODY.contains(received.method()) && !original.contains(HttpHeaderNames.CONTENT_LENGTH)) {
            headers.set(HttpHeaderNames.CONTENT_LENGTH, HttpHeaderValues.ZERO);
        }
        if (received.protocolVersion().minorVersion() == 0) {
            headers.remove(HttpHeaderNames.EXPECT);
        }
        if (original.containsValue(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS, true)) {
            headers.set(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS);
            headers.add(HttpHeaderNames.CONNECTION, HttpHeaderNames.TE);
        }
        if (sound.upgrade()) {
            headers.set(HttpHeaderNames.UPGRADE, original.getAll(HttpHeaderNames.UPGRADE));
            headers.add(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
        }
        return forwarded;
    }

    /** Without transfer coding: the downstream side frames the body in its own way. */
    static HttpResponse response(HttpResponse received) {
        HttpResponse forwarded = new DefaultHttpResponse(HttpVersion.HTTP_1_1, received.status());
        copyEndToEnd(received.headers(), forwarded.headers(), _ -> true);
        return forwarded;
    }

    /** The response 101 keeps what it is about. */
    static HttpResponse switching(HttpResponse received) {
        HttpResponse forwarded = response(received);
        forwarded.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
        forwarded.headers().set(HttpHeaderNames.UPGRADE, received.headers().getAll(HttpHeaderNames.UPGRADE));
        return forwarded;
    }

    /** What the Connection headers name, in lower case and in the order of the head; linear in the size of the head. */
    static List<String> connectionOptions(HttpHeaders headers) {
        List<String> options = new ArrayList<>();
        for (String value : headers.getAll(HttpHeaderNames.CONNECTION)) {
            for (String name : value.split(",", -1)) {
                String option = name.strip().toLowerCase(Locale.ROOT);
                if (!option.isEmpty()) {
                    options.add(option);
                }
            }
        }
        return options;
    }

    /** One pass over the head, since each removal from Netty's headers is a pass of its own. */
    private static void copyEndToEnd(HttpHeaders from, HttpHeaders to, Predicate<String> wanted) {
        Set<String> dropped = new HashSet<>(connectionOptions(from));
        dropped.removeAll(KEPT);
        dropped.addAll(CONNECTION_ONLY);
        for (Map.Entry<String, String> header : from) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!dropped.contains(name) && wanted.test(name)) {
                to.add(header.getKey(), header.getValue());
            }
        }
    }

    /** Many services read an underscore in a name as a hyphen (CGI, RFC 3875, section 4.1.18). */
    private static boolean isForwarding(String name) {
        String read = name.replace('_', '-');
        return read.startsWith(FORWARDING_PREFIX) || FORWARDING.contains(read);
    }
}
