package io.rstream.engine;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rstream.engine.agents.Tokens;
import io.rstream.engine.config.EngineConfigFile;
import io.rstream.process.Secret;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** An engine in this JVM on loopback, for host {@code edge.localhost} and tunnels {@code *.t.localhost}. */
public final class EngineFixture implements AutoCloseable {
    public static final String SECRET = "an-engine-token-secret-of-some-length";

    private static final TestCertificate CERTIFICATE = TestCertificate.create("edge.localhost", "*.t.localhost");

    public final Path folder;
    public final Engine engine;
    private final SimpleMeterRegistry meters;
    private final SSLContext trust = trust();
    private boolean closed;

    private EngineFixture(Path folder, Engine engine, SimpleMeterRegistry meters) {
        this.folder = folder;
        this.engine = engine;
        this.meters = meters;
    }

    /** Starts an engine; the lines replace or complete the usual configuration. */
    public static EngineFixture start(String... lines) {
        try {
            Path folder = Files.createTempDirectory("engine-test");
            CERTIFICATE.write(folder, "tls");
            Files.writeString(folder.resolve("secret"), SECRET + "\n");
            Path file = Files.writeString(folder.resolve("engine.yaml"), yaml(lines));
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            return new EngineFixture(
                    folder, Engine.start(EngineConfigFile.read(file), meters, Clock.systemUTC()), meters);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String yaml(String... lines) {
        List<String> given = List.of(lines);
        int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
        StringBuilder yaml = new StringBuilder();
        for (String standard : List.of(
                "listen: 127.0.0.1:0",
                "host: edge.localhost",
                "tls: {certificateFile: tls.crt, keyFile: tls.key}",
                "auth: {tokenSecretFile: secret}",
                "tcp: {bindAddress: 127.0.0.1, ports: %d-%d}".formatted(port, port + 30),
                "management: ''")) {
            String key = standard.substring(0, standard.indexOf(':') + 1);
            if (given.stream().noneMatch(line -> line.startsWith(key))) {
                yaml.append(standard).append('\n');
            }
        }
        given.forEach(line -> yaml.append(line).append('\n'));
        return yaml.toString();
    }

    public int port() {
        return engine.port();
    }

    public Path caFile() {
        return folder.resolve("tls.crt");
    }

    public static String token() {
        return token("tester");
    }

    public static String token(String subject, String... permissions) {
        return new Tokens(Secret.of(SECRET), Clock.systemUTC())
                .issue(subject, null, permissions.length == 0 ? null : List.of(permissions))
                .reveal();
    }

    public HttpClient http(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(trust)
                .connectTimeout(Duration.ofSeconds(20))
                .build();
    }

    public SSLContext sslContext() {
        return trust;
    }

    public String url(String host, String path) {
        return "https://" + host + ":" + port() + path;
    }

    public double meter(String name, String... tags) {
        var search = meters.find(name).tags(tags);
        var counter = search.counter();
        if (counter != null) {
            return counter.count();
        }
        var gauge = search.gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            engine.close();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext trust() {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("engine", CERTIFICATE.certificate());
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
