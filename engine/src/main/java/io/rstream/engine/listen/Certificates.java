package io.rstream.engine.listen;

import io.netty.handler.ssl.SslContext;
import io.rstream.protocol.CertificateFiles;
import io.rstream.protocol.ReloadingContext;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.TransportSecurity.ClientCertificate;
import io.rstream.protocol.TransportSecurity.Engine;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The engine's certificate in its two uses: for agents TLS 1.3 with an optional client certificate, for browsers TLS 1.2 or
 * 1.3 without (protocol, section 4.2). Follows changes of the files. Thread-safe.
 */
public final class Certificates implements AutoCloseable {
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(2);

    private final ReloadingContext agents;
    private final ReloadingContext browsers;

    private Certificates(ReloadingContext agents, ReloadingContext browsers) {
        this.agents = agents;
        this.browsers = browsers;
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
        var paths = List.of(files.certificateChain(), files.privateKey());
        ReloadingContext agents = ReloadingContext.watch(paths, () -> forAgents(files), scheduler, LOOK_INTERVAL);
        ReloadingContext browsers = ReloadingContext.watch(paths, () -> forBrowsers(files), scheduler, LOOK_INTERVAL);
        return new Certificates(agents, browsers);
    }

    SslContext agents() {
        return agents.current();
    }

    SslContext browsers() {
        return browsers.current();
    }

    /** Stops looking at the files. */
    @Override
    public void close() {
        agents.close();
        browsers.close();
    }

    private static SslContext forAgents(CertificateFiles files) throws IOException, GeneralSecurityException {
        return TransportSecurity.server(
                files,
                List.of(TransportSecurity.ALPN_RSTREAM),
                ClientCertificate.OPTIONAL,
                TlsVersion.TLS_1_3,
                Engine.JDK);
    }

    private static SslContext forBrowsers(CertificateFiles files) throws IOException, GeneralSecurityException {
        return TransportSecurity.server(
                files,
                List.of("h2", "http/1.1"),
                ClientCertificate.NONE,
                TlsVersion.TLS_1_2,
                Engine.OPENSSL_IF_AVAILABLE);
    }
}
