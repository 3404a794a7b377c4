package io.rstream.agent.connect;

import io.netty.handler.ssl.SslContext;
import io.rstream.agent.config.AgentConfig.Mtls;
import io.rstream.process.Secret;
import io.rstream.protocol.CertificateFiles;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who the agent is to the engine: a token or a client certificate, never both. Files are read anew for each attempt, so
 * that a renewed token or certificate is used by the next session (operator reference, section 4.5).
 *
 * @param token from the environment or a file
 * @param certificate files of the client certificate, or null
 * @param trustFile PEM bundle in place of the system's trust anchors, or null; {@code caFile} of the certificate wins
 */
public record Credentials(
        CredentialSource token,
        @Nullable Mtls certificate,
        @Nullable Path trustFile) {

    private static final String BEGIN_CERTIFICATE = "-----BEGIN CERTIFICATE-----";

    /**
     * What one attempt works with.
     *
     * @param tls context for all its connections
     * @param token what it presents, or null with a client certificate
     */
    public record Loaded(SslContext tls, @Nullable Secret token) {}

    /**
     * Reads the files; blocks.
     *
     * @throws AttemptException with one of the documented texts
     */
    public Loaded load() throws AttemptException {
        return load(token.read());
    }

    private Loaded load(@Nullable Secret token) throws AttemptException {
        if (certificate == null && token == null) {
            throw AttemptException.permanent("RSTREAM_AUTHENTICATION_TOKEN is required when mTLS is not configured");
        }
        if (token != null && !token.isPrintableAscii()) {
            throw AttemptException.permanent("RSTREAM_AUTHENTICATION_TOKEN holds white space, a control character or a"
                    + " character outside ASCII; set the token as it was issued");
        }
        if (certificate == null) {
            return new Loaded(context(trust(), null, TlsVersion.TLS_1_3, "read SSL_CERT_FILE: "), token);
        }
        if (token != null) {
            throw AttemptException.permanent(
                    "RSTREAM_AUTHENTICATION_TOKEN and mTLS authentication cannot be used together");
        }
        Trust trust = trust(certificate);
        context(trust, null, TlsVersion.TLS_1_2, "read mTLS CA bundle: ");
        CertificateFiles files = new CertificateFiles(
                Path.of(certificate.certFile().strip()),
                Path.of(certificate.keyFile().strip()));
        return new Loaded(context(trust, files, TlsVersion.TLS_1_2, "load mTLS key pair: "), null);
    }

    /** The files whose content can change while the agent runs. */
    public List<Path> files() {
        Stream<String> named = certificate == null
                ? Stream.of()
                : Stream.of(
                        certificate.certFile(),
                        certificate.keyFile(),
                        Objects.requireNonNullElse(certificate.caFile(), ""));
        return Stream.of(
                        token.changing().stream(),
                        Stream.ofNullable(trustFile),
                        named.map(String::strip).filter(file -> !file.isEmpty()).map(Path::of))
                .flatMap(files -> files)
                .toList();
    }

    private Trust trust() {
        return trustFile == null ? new Trust.SystemRoots() : new Trust.Bundle(trustFile);
    }

    private Trust trust(Mtls files) throws AttemptException {
        String caFile = files.caFile();
        if (caFile == null || caFile.isBlank()) {
            return trust();
        }
        Path bundle = Path.of(caFile.strip());
        try {
            if (!Files.readString(bundle).contains(BEGIN_CERTIFICATE)) {
                throw AttemptException.passing("mTLS CA bundle does not contain any PEM certificates");
            }
        } catch (IOException e) {
            throw AttemptException.passing("read mTLS CA bundle: " + FailureText.of(e));
        }
        return new Trust.Bundle(bundle);
    }

    private static SslContext context(
            Trust trust, @Nullable CertificateFiles identity, TlsVersion minimum, String activity)
            throws AttemptException {
        try {
            return TransportSecurity.client(trust, identity, List.of(TransportSecurity.ALPN_RSTREAM), minimum);
        } catch (IOException e) {
            throw AttemptException.passing(activity + FailureText.of(e));
        } catch (GeneralSecurityException e) {
            throw AttemptException.passing(activity + e.getMessage());
        }
    }
}
