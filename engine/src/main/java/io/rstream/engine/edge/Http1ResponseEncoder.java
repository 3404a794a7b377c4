package io.rstream.engine.edge;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;

/** Encodes responses and knows that the answer to HEAD has no body, whatever its head says (RFC 9110, section 9.3.2). */
final class Http1ResponseEncoder extends HttpResponseEncoder {
    private HttpMethod method = HttpMethod.GET;

    /** The method of the request that is answered next. */
    void answering(HttpMethod requestMethod) {
        this.method = requestMethod;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return method.equals(HttpMethod.HEAD) || super.isContentAlwaysEmpty(response);
    }
}
