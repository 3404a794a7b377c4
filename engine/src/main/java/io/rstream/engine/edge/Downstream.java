package io.rstream.engine.edge;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpObject;
import java.net.InetAddress;

/**
 * The caller's side of one request: an HTTP/1.1 connection or a stream of an HTTP/2 connection. Every method is called on
 * {@link #loop()}.
 */
interface Downstream {
    /** Where the exchange lives. */
    EventLoop loop();

    /** Address of the caller. */
    InetAddress remote();

    /** Whether informational responses can be sent. */
    boolean takesInformational();

    /** Queues a part of the response: head, content, last content; hop-by-hop headers are this side's own business. */
    void write(HttpObject part);

    /** Sends what is queued. */
    void flush();

    /** Whether more should be written now. */
    boolean isWritable();

    /** Rises with what is written and falls with what the caller takes; says nothing but whether either happened. */
    long untaken();

    /** Asks for more of the request's body. */
    void readRequest();

    /** The response is written whole. */
    void responseComplete();

    /** The response cannot be completed; the caller must notice. */
    void abort();

    /** Takes the HTTP codec out after a 101 was written; what came early is held until the relay is there. */
    Channel becomeRaw();
}
