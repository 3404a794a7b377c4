package io.rstream.e2e.install;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Client side TLS of the callers. */
public final class Trusting {
    private Trusting() {}

    /** A context that trusts the authority in a PEM file and nothing else. */
    public static SSLContext only(Path caFile) throws IOException, GeneralSecurityException {
        return only(Files.readString(caFile));
    }

    /** A context that trusts one authority, PEM, and nothing else. */
    public static SSLContext only(String caPem) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var pem = new ByteArrayInputStream(caPem.getBytes(StandardCharsets.US_ASCII))) {
            store.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
