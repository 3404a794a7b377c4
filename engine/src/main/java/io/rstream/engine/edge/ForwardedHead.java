package io.rstream.engine.edge;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The head of a request as the service sees it, and of a response as the caller sees it: the same, but for headers that
 * concern one connection only (RFC 9110, section 7.6.1) and for X-Forwarded-*, which the engine alone sets.
 */
final class ForwardedHead {
    private static final List<String> FORWARDED =
            List.of("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port");
    private static final List<CharSequence> CONNECTION_ONLY = List.of(
            HttpHeaderNames.CONNECTION,
            "keep-alive",
            "proxy-connection",
            HttpHeaderNames.TE,
            HttpHeaderNames.TRANSFER_ENCODING,
            HttpHeaderNames.UPGRADE,
            "http2-settings");
    /** What a Connection header cannot take away, since it decides where a message goes and where it ends. */
    private static final Set<String> KEPT = Set.of("host", "content-length", "transfer-encoding");

    private ForwardedHead() {}

    static HttpRequest request(HttpRequest received, RequestDecision.Sound sound, InetAddress remote) {
        HttpRequest forwarded = new DefaultHttpRequest(HttpVersion.HTTP_1_1, received.method(), sound.target());
        HttpHeaders headers = forwarded.headers();
        HttpHeaders original = received.headers();
        headers.add(original);
        removeConnectionHeaders(headers);
        FORWARDED.forEach(headers::remove);
        for (ExtensionHeaderNames extension : ExtensionHeaderNames.values()) {
            headers.remove(extension.text());
        }
        headers.set(HttpHeaderNames.HOST, sound.authority().text());
        headers.set("X-Forwarded-For", remote.getHostAddress());
        headers.set("X-Forwarded-Proto", "https");
        headers.set("X-Forwarded-Host", sound.authority().text());
        if (original.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
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
        forwarded.headers().add(received.headers());
        removeConnectionHeaders(forwarded.headers());
        return forwarded;
    }

    /** The response 101 keeps what it is about. */
    static HttpResponse switching(HttpResponse received) {
        HttpResponse forwarded = response(received);
        forwarded.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
        forwarded.headers().set(HttpHeaderNames.UPGRADE, received.headers().getAll(HttpHeaderNames.UPGRADE));
        return forwarded;
    }

    private static void removeConnectionHeaders(HttpHeaders headers) {
        for (String value : headers.getAll(HttpHeaderNames.CONNECTION)) {
            for (String name : value.split(",", -1)) {
                String option = name.strip().toLowerCase(Locale.ROOT);
                if (!option.isEmpty() && !KEPT.contains(option)) {
                    headers.remove(option);
                }
            }
        }
        CONNECTION_ONLY.forEach(headers::remove);
    }
}
