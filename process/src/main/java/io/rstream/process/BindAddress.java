package io.rstream.process;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Where a server listens, in the form that Go programs use: {@code :8081}, {@code 127.0.0.1:8081}, {@code [::1]:8081}.
 *
 * @param host a host name or address without brackets; empty means all interfaces
 * @param port 0 to 65535; 0 lets the system choose
 */
public record BindAddress(String host, int port) {

    /**
     * Reads an address.
     *
     * @param text the address; an empty text means that the server is switched off
     * @return the address, or empty for an empty text
     * @throws IllegalArgumentException when the text is not an address; the message says what is expected
     */
    public static Optional<BindAddress> parse(String text) {
        String address = text.strip();
        if (address.isEmpty()) {
            return Optional.empty();
        }
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? "" : address.substring(0, colon);
        if (colon < 0 || (host.contains(":") && !isBracketed(host))) {
            throw invalid(text);
        }
        return Optional.of(
                new BindAddress(isBracketed(host) ? host.substring(1, host.length() - 1) : host, port(text, colon)));
    }

    /** The socket address to bind; resolves a host name, so it may block. */
    public InetSocketAddress toSocketAddress() {
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    private static boolean isBracketed(String host) {
        return host.startsWith("[") && host.endsWith("]");
    }

    private static int port(String text, int colon) {
        String digits = text.strip().substring(colon + 1);
        if (!digits.matches("\\d{1,5}") || Integer.parseInt(digits) > 65_535) {
            throw invalid(text);
        }
        return Integer.parseInt(digits);
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException(
                "\"" + text
                        + "\" is not a listen address; write host:port or :port with a port from 0 to 65535, or nothing to switch the server off");
    }
}
