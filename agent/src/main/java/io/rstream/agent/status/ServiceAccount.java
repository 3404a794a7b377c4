package io.rstream.agent.status;

import io.rstream.process.Secret;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The files that Kubernetes mounts into a pod. They are replaced while the pod runs, so they are read for each use.
 *
 * @param directory holds {@code token} and {@code ca.crt}
 */
record ServiceAccount(Path directory) {
    /** Refuses what no header can carry: the JDK would show the value in its exception. */
    Secret token() throws IOException {
        Secret token = Secret.of(Files.readString(directory.resolve("token")).strip());
        if (!token.isPrintableAscii()) {
            throw new IOException("%s holds a character that no token has; mount the service account token"
                    .formatted(directory.resolve("token")));
        }
        return token;
    }

    byte[] certificates() throws IOException {
        return Files.readAllBytes(directory.resolve("ca.crt"));
    }

    /** A context that trusts these PEM certificates only. */
    static SSLContext trusting(byte[] pem) throws IOException, GeneralSecurityException {
        Collection<? extends Certificate> certificates;
        try (InputStream bytes = new ByteArrayInputStream(pem)) {
            certificates = CertificateFactory.getInstance("X.509").generateCertificates(bytes);
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("ca.crt of the service account has no certificate");
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("ca" + store.size(), certificate);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
