package io.rstream.engine.edge;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;

/**
 * Decodes the responses to one request after the other. In contrast to Netty's client codec it tells whether a service has
 * sent more than it was asked for.
 */
final class Http1ResponseDecoder extends HttpResponseDecoder {
    private static final int LONGEST_STATUS_LINE = 8_192;

    private HttpMethod method = HttpMethod.GET;

    Http1ResponseDecoder(int headerBytes) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(LONGEST_STATUS_LINE)
                .setMaxHeaderSize(headerBytes)
                .setMaxChunkSize(UpstreamConnection.LARGEST_CHUNK));
    }

    /** The method of the request whose response comes next. On the event loop, as everything here. */
    void asked(HttpMethod requestMethod) {
        this.method = requestMethod;
    }

    /** Whether bytes have come that belong to nothing decoded so far. */
    boolean holdsBytes() {
        return actualReadableBytes() > 0;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        return method.equals(HttpMethod.HEAD)
                || (message instanceof HttpResponse response
                        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL)
                || super.isContentAlwaysEmpty(message);
    }
}
