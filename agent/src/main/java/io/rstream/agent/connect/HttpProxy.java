package io.rstream.agent.connect;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.proxy.HttpProxyHandler;
import io.rstream.process.Secret;
import java.net.SocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy that connections to the engine go through with CONNECT (rstream protocol, section 4.8).
 *
 * @param host its name or address
 * @param port 1 to 65535
 * @param username with password, or null for no authentication
 * @param password with username, or null
 * @param headers additional headers of the CONNECT request
 */
public record HttpProxy(
        String host,
        int port,
        @Nullable Secret username,
        @Nullable Secret password,
        Map<String, String> headers) {

    public HttpProxy {
        headers = Map.copyOf(headers);
    }

    /** Header values may be credentials and stay out. */
    @Override
    public String toString() {
        return "HttpProxy[" + host + ":" + port + "]";
    }

    HttpProxyHandler handler(SocketAddress proxyAddress) {
        HttpHeaders extra = new DefaultHttpHeaders();
        headers.forEach(extra::set);
        HttpProxyHandler handler = username == null || password == null
                ? new HttpProxyHandler(proxyAddress, extra, true)
                : new HttpProxyHandler(proxyAddress, username.reveal(), password.reveal(), extra, true);
        // The connection's own limit holds for the proxy's answer, too.
        handler.setConnectTimeoutMillis(0);
        return handler;
    }
}
