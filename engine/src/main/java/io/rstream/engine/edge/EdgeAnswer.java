package io.rstream.engine.edge;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An answer that the engine gives itself: one plain sentence.
 *
 * @param status HTTP status
 * @param sentence what went wrong, for the caller
 */
record EdgeAnswer(HttpResponseStatus status, String sentence) {
    static final EdgeAnswer UNKNOWN_HOST =
            new EdgeAnswer(HttpResponseStatus.NOT_FOUND, "No tunnel is online under this host name.");
    static final EdgeAnswer AGENT_REFUSED =
            new EdgeAnswer(HttpResponseStatus.BAD_GATEWAY, "The tunnel's agent could not reach its service.");
    static final EdgeAnswer AGENT_GONE =
            new EdgeAnswer(HttpResponseStatus.BAD_GATEWAY, "The tunnel's agent is not reachable.");
    static final EdgeAnswer SERVICE_BROKE =
            new EdgeAnswer(HttpResponseStatus.BAD_GATEWAY, "The service behind the tunnel ended the connection early.");
    static final EdgeAnswer SERVICE_UNREADABLE = new EdgeAnswer(
            HttpResponseStatus.BAD_GATEWAY, "The service behind the tunnel gave an answer that is not HTTP/1.1.");
    static final EdgeAnswer AGENT_SILENT =
            new EdgeAnswer(HttpResponseStatus.GATEWAY_TIMEOUT, "The tunnel's agent did not answer in time.");
    static final EdgeAnswer SERVICE_SILENT =
            new EdgeAnswer(HttpResponseStatus.GATEWAY_TIMEOUT, "The service behind the tunnel did not answer in time.");
    static final EdgeAnswer SATURATED =
            new EdgeAnswer(HttpResponseStatus.SERVICE_UNAVAILABLE, "The engine has as many streams as it allows.");
    static final EdgeAnswer SLOW_REQUEST =
            new EdgeAnswer(HttpResponseStatus.REQUEST_TIMEOUT, "The request did not arrive in time.");
    static final EdgeAnswer MALFORMED = bad("The request is malformed.");

    static EdgeAnswer bad(String sentence) {
        return new EdgeAnswer(HttpResponseStatus.BAD_REQUEST, sentence);
    }

    /** What a request that could not be decoded is answered with. */
    static EdgeAnswer undecodable(@Nullable Throwable cause) {
        return switch (cause) {
            case TooLongHttpHeaderException _ ->
                new EdgeAnswer(HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request header is too large.");
            case TooLongHttpLineException _ ->
                new EdgeAnswer(HttpResponseStatus.REQUEST_URI_TOO_LONG, "The request line is too long.");
            case null, default -> MALFORMED;
        };
    }

    FullHttpResponse response() {
        byte[] body = (sentence + "\n").getBytes(StandardCharsets.UTF_8);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        return response;
    }
}
