package io.rstream.agent.connect;

import io.rstream.agent.config.AgentConfig.Proxy;
import io.rstream.process.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code connection.transport.proxy} (rstream protocol, section 4.8). */
final class ProxySettings {
    private static final String KEY = "transport.proxy.http";
    private static final int HTTP_PORT = 80;

    private ProxySettings() {}

    static @Nullable HttpProxy of(@Nullable Proxy proxy, ProxyLogin login) throws AttemptException {
        if (proxy == null) {
            return null;
        }
        String text = proxy.http() == null ? "" : proxy.http().strip();
        if (text.isEmpty()) {
            if (proxy.usernameEnv() == null
                    && proxy.passwordEnv() == null
                    && proxy.headers().isEmpty()) {
                return null;
            }
            throw TransportSettings.refused(KEY + " is required with the other proxy settings; write http://host:port");
        }
        URI uri = parse(text);
        ProxyLogin used = login(proxy, uri, login);
        checkCharacters(proxy, used);
        int port = uri.getPort() < 0 ? HTTP_PORT : uri.getPort();
        return new HttpProxy(unbracketed(uri.getHost()), port, used.username(), used.password(), proxy.headers());
    }

    /** The URL may hold a password, so no message shows it. */
    private static URI parse(String text) throws AttemptException {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException _) {
            throw TransportSettings.refused(KEY + " is not a URL; write http://host:port");
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (scheme.equals("https")) {
            throw TransportSettings.refused(
                    KEY + " with https is not supported by this agent yet; use http://host:port");
        }
        boolean onlyAddress = uri.getQuery() == null
                && uri.getFragment() == null
                && (uri.getPath() == null
                        || uri.getPath().isEmpty()
                        || uri.getPath().equals("/"));
        if (!scheme.equals("http") || uri.getHost() == null || uri.getPort() > 65_535 || !onlyAddress) {
            throw TransportSettings.refused(KEY + " is not of the form http://host:port");
        }
        return uri;
    }

    private static ProxyLogin login(Proxy proxy, URI uri, ProxyLogin login) throws AttemptException {
        if (proxy.usernameEnv() != null || proxy.passwordEnv() != null) {
            if (login.username() == null || login.password() == null) {
                throw TransportSettings.refused(
                        "transport.proxy needs user name and password together; one of them is missing or empty");
            }
            return login;
        }
        String user = uri.getUserInfo();
        if (user == null) {
            return ProxyLogin.NONE;
        }
        int colon = user.indexOf(':');
        return colon < 0
                ? new ProxyLogin(Secret.of(user), Secret.of(""))
                : new ProxyLogin(Secret.of(user.substring(0, colon)), Secret.of(user.substring(colon + 1)));
    }

    /** A header cannot carry them; what would say so later might show the value. */
    private static void checkCharacters(Proxy proxy, ProxyLogin login) throws AttemptException {
        if (hasControl(login.username()) || hasControl(login.password())) {
            throw TransportSettings.refused("transport.proxy: user name or password holds a control character");
        }
        for (Map.Entry<String, String> header : proxy.headers().entrySet()) {
            if (!header.getKey().matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+") || hasControl(Secret.of(header.getValue()))) {
                throw TransportSettings.refused(
                        "transport.proxy.headers has a name that is no header name, or a value with a control character");
            }
        }
    }

    private static boolean hasControl(@Nullable Secret secret) {
        return secret != null && secret.reveal().chars().anyMatch(Character::isISOControl);
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }
}
