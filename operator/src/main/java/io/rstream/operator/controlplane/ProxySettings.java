package io.rstream.operator.controlplane;

import io.rstream.process.Secret;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Proxies as the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY name them, in upper or lower case; the upper case
 * wins. This machine is never reached through a proxy.
 */
public final class ProxySettings {

    private static final int DEFAULT_PORT = 80;

    /** One proxy; the text form hides the credentials. */
    private record Server(String host, int port, @Nullable Secret authorization) {}

    private final @Nullable Server https;
    private final @Nullable Server http;
    private final ProxyExemptions exemptions;

    private ProxySettings(@Nullable Server https, @Nullable Server http, ProxyExemptions exemptions) {
        this.https = https;
        this.http = http;
        this.exemptions = exemptions;
    }

    /** Straight to every host. */
    public static ProxySettings none() {
        return new ProxySettings(null, null, ProxyExemptions.parse(""));
    }

    /**
     * Reads the variables.
     *
     * @throws IllegalArgumentException when one does not name an HTTP proxy; the message names the variable, not its value,
     *     which may hold a password
     */
    public static ProxySettings of(Map<String, String> environment) {
        return new ProxySettings(
                server(environment, "HTTPS_PROXY"),
                server(environment, "HTTP_PROXY"),
                ProxyExemptions.parse(
                        value(environment, "NO_PROXY").map(Setting::value).orElse("")));
    }

    /** Whether a proxy wants a user name, which the JDK refuses to send through a tunnel unless it is told otherwise. */
    public boolean haveCredentials() {
        return Stream.of(Optional.ofNullable(https), Optional.ofNullable(http))
                .flatMap(Optional::stream)
                .anyMatch(server -> server.authorization() != null);
    }

    ProxySelector selector() {
        return new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                return List.of(serverFor(uri)
                        .map(server -> new Proxy(Proxy.Type.HTTP, new InetSocketAddress(server.host(), server.port())))
                        .orElse(Proxy.NO_PROXY));
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException failure) {
                // The look-up fails with it and is tried again; there is no second proxy.
            }
        };
    }

    /** What the proxy on the way to a URL wants to see. */
    Optional<Secret> authorizationFor(URI uri) {
        return serverFor(uri).flatMap(server -> Optional.ofNullable(server.authorization()));
    }

    private Optional<Server> serverFor(URI uri) {
        var isHttps = "https".equalsIgnoreCase(uri.getScheme());
        var port = uri.getPort() >= 0 ? uri.getPort() : isHttps ? 443 : 80;
        var host = uri.getHost();
        return host == null || exemptions.cover(host.toLowerCase(Locale.ROOT), port)
                ? Optional.empty()
                : Optional.ofNullable(isHttps ? https : http);
    }

    private record Setting(String name, String value) {}

    private static Optional<Setting> value(Map<String, String> environment, String name) {
        return Stream.of(name, name.toLowerCase(Locale.ROOT))
                .filter(variable -> !environment.getOrDefault(variable, "").isBlank())
                .map(variable -> new Setting(
                        variable, environment.getOrDefault(variable, "").strip()))
                .findFirst();
    }

    private static @Nullable Server server(Map<String, String> environment, String name) {
        return value(environment, name).map(ProxySettings::server).orElse(null);
    }

    private static Server server(Setting setting) {
        var text = setting.value().contains("://") ? setting.value() : "http://" + setting.value();
        try {
            var uri = new URI(text).parseServerAuthority();
            if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
                throw notAProxy(setting);
            }
            return new Server(
                    uri.getHost(), uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(), authorization(uri.getUserInfo()));
        } catch (URISyntaxException _) { // Its message shows the value.
            throw notAProxy(setting);
        }
    }

    private static IllegalArgumentException notAProxy(Setting setting) {
        return new IllegalArgumentException(setting.name()
                + " does not name a proxy that the operator can use; write http://host:port, or unset it");
    }

    private static @Nullable Secret authorization(@Nullable String userInfo) {
        if (userInfo == null) {
            return null;
        }
        var pair = userInfo.contains(":") ? userInfo : userInfo + ":";
        return Secret.of("Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
    }
}
