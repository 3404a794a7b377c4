package io.rstream.engine.edge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpConstants;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Decodes one request at a time: what follows it stays undecoded until {@link #resume}, so that pipelined requests keep
 * their order and an upgraded connection keeps its bytes. On top of Netty's checks it refuses folded header lines, which
 * Netty would join (RFC 9112, section 5.2).
 */
final class Http1RequestDecoder extends HttpRequestDecoder {
    private static final int LONGEST_REQUEST_LINE = 16_384;

    private boolean gated;
    private boolean inHead = true;
    private boolean broken;
    private int headLines;
    private Runnable onHeadBegun = () -> {};

    Http1RequestDecoder(int headerBytes) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(LONGEST_REQUEST_LINE)
                .setMaxHeaderSize(headerBytes)
                .setMaxChunkSize(UpstreamConnection.LARGEST_CHUNK));
    }

    /** Runs when the first byte of a head is there. */
    void onHeadBegun(Runnable action) {
        this.onHeadBegun = action;
    }

    /** Goes on with the next request; what has arrived of it already is decoded at once. On the event loop. */
    void resume(ChannelHandlerContext ctx) throws Exception {
        gated = false;
        channelRead(ctx, Unpooled.EMPTY_BUFFER);
        channelReadComplete(ctx);
    }

    /** What has come behind the present request. On the event loop. */
    int pipelinedBytes() {
        return actualReadableBytes();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out) throws Exception {
        if (broken) {
            buffer.skipBytes(buffer.readableBytes());
            return;
        }
        if (gated) {
            return;
        }
        if (inHead && buffer.isReadable()) {
            if (headLines == 0) {
                onHeadBegun.run();
            }
            if (isFolded(buffer)) {
                broken = true;
                buffer.skipBytes(buffer.readableBytes());
                out.add(folded());
                return;
            }
        }
        int before = out.size();
        super.decode(ctx, buffer, out);
        for (Object decoded : out.subList(before, out.size())) {
            if (decoded instanceof HttpRequest) {
                inHead = false;
                headLines = 0;
            }
            if (decoded instanceof LastHttpContent) {
                inHead = true;
                gated = true;
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (gated) {
            // The superclass would ask for more as long as nothing is decoded, and there would be no end to it.
            ctx.fireChannelReadComplete();
        } else {
            super.channelReadComplete(ctx);
        }
    }

    /** Looks at the complete lines that the superclass is about to take; it takes all of them in one call. */
    private boolean isFolded(ByteBuf buffer) {
        int start = buffer.readerIndex();
        while (start < buffer.writerIndex()) {
            byte first = buffer.getByte(start);
            if (headLines > 0 && (first == HttpConstants.SP || first == HttpConstants.HT)) {
                return true;
            }
            int end = buffer.indexOf(start, buffer.writerIndex(), HttpConstants.LF);
            if (end < 0) {
                return false;
            }
            boolean empty = first == HttpConstants.CR || first == HttpConstants.LF;
            if (empty && headLines > 0) {
                return false;
            }
            headLines += empty ? 0 : 1;
            start = end + 1;
        }
        return false;
    }

    private static HttpRequest folded() {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
        request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("a header line is folded")));
        return request;
    }
}
