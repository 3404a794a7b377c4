package io.rstream.engine.listen;

import io.netty.handler.ssl.SslContext;
import io.rstream.protocol.CertificateFiles;
import io.rstream.protocol.ReloadingContext;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.TransportSecurity.ClientCertificate;
import io.rstream.protocol.TransportSecurity.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The engine's certificate in its uses: for agents TLS 1.3 with an optional client certificate, for HTTP TLS 1.2 or 1.3
 * without (protocol, section 4.2). HTTP/1.1 may be upgraded to raw bytes, which need half-close, so it gets the JDK as agents
 * do; only HTTP/2 gets OpenSSL. Follows changes of the files. Thread-safe.
 */
public final class Certificates implements AutoCloseable {
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(2);
    private static final String HTTP_1_1 = "http/1.1";
    private static final String HTTP_2 = "h2";

    private final ReloadingContext agents;
    private final AtomicReference<@Nullable HttpContexts> http;

    /** Contexts made of the same content of the files as the one for agents. */
    private record HttpContexts(SslContext http1, SslContext http2) {}

    private Certificates(ReloadingContext agents, AtomicReference<@Nullable HttpContexts> http) {
        this.agents = agents;
        this.http = http;
    }

    /**
     * Loads the certificate and keeps looking at its files.
     *
     * @param scheduler not an event loop, since files are read on it
     * @throws IOException when a file cannot be read
     * @throws GeneralSecurityException when the files are of no use; the message says why
     */
    public static Certificates watch(CertificateFiles files, ScheduledExecutorService scheduler)
            throws IOException, GeneralSecurityException {
        for (Path path : List.of(files.certificateChain(), files.privateKey())) {
            if (!Files.isReadable(path)) {
                throw new IOException("tls: " + path + " cannot be read; check that it exists and its permissions");
            }
        }
        AtomicReference<@Nullable HttpContexts> http = new AtomicReference<>();
        ReloadingContext agents = ReloadingContext.watch(
                List.of(files.certificateChain(), files.privateKey()),
                () -> {
                    SslContext built = forAgents(files);
                    http.set(forHttp(files));
                    return built;
                },
                scheduler,
                LOOK_INTERVAL);
        return new Certificates(agents, http);
    }

    /**
     * The context that a client needs.
     *
     * @param alpnNames what the client offers
     */
    SslContext forClient(List<String> alpnNames) {
        if (alpnNames.contains(TransportSecurity.ALPN_RSTREAM)) {
            return agents.current();
        }
        HttpContexts contexts = Objects.requireNonNull(http.get(), "built together with the first context for agents");
        return alpnNames.contains(HTTP_2) ? contexts.http2() : contexts.http1();
    }

    /** Stops looking at the files. */
    @Override
    public void close() {
        agents.close();
    }

    private static SslContext forAgents(CertificateFiles files) throws IOException, GeneralSecurityException {
        return TransportSecurity.server(
                files,
                List.of(TransportSecurity.ALPN_RSTREAM),
                ClientCertificate.OPTIONAL,
                TlsVersion.TLS_1_3,
                Engine.JDK);
    }

    private static HttpContexts forHttp(CertificateFiles files) throws IOException, GeneralSecurityException {
        return new HttpContexts(
                forHttp(files, List.of(HTTP_1_1), Engine.JDK),
                forHttp(files, List.of(HTTP_2, HTTP_1_1), Engine.OPENSSL_IF_AVAILABLE));
    }

    private static SslContext forHttp(CertificateFiles files, List<String> alpnNames, Engine engine)
            throws IOException, GeneralSecurityException {
        return TransportSecurity.server(files, alpnNames, ClientCertificate.NONE, TlsVersion.TLS_1_2, engine);
    }
}
