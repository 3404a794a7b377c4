package io.rstream.operator.controlplane;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Which authorities may have signed the certificate of a control plane. */
public final class TrustedAuthorities {

    private TrustedAuthorities() {}

    /**
     * The JDK's own authorities and those of a file.
     *
     * @param file PEM certificates, or null for none
     * @throws IOException when the file cannot be read or holds no certificate; the message names it
     */
    public static SSLContext with(@Nullable Path file) throws IOException {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, file == null ? null : managers(file), null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new IOException(
                    "the certificates of %s cannot be used: %s".formatted(file, unusable.getMessage()), unusable);
        }
    }

    private static javax.net.ssl.TrustManager[] managers(Path file) throws IOException, GeneralSecurityException {
        var all = new ArrayList<X509Certificate>(certificates(file));
        Stream.of(factory(null).getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .forEach(manager -> all.addAll(List.of(manager.getAcceptedIssuers())));
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (var index = 0; index < all.size(); index++) {
            store.setCertificateEntry("authority-" + index, all.get(index));
        }
        return factory(store).getTrustManagers();
    }

    private static TrustManagerFactory factory(@Nullable KeyStore store) throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }

    private static List<X509Certificate> certificates(Path file) throws IOException, GeneralSecurityException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException unreadable) {
            throw new IOException(
                    "the certificates of %s cannot be read; name an existing PEM file".formatted(file), unreadable);
        }
        var certificates =
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes));
        if (certificates.isEmpty()) {
            throw new IOException("%s holds no certificate; name a PEM file with certificates".formatted(file));
        }
        return certificates.stream().map(X509Certificate.class::cast).toList();
    }
}
