package io.rstream.agent.fake;

import io.rstream.protocol.CertificateFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for tests, with a server certificate for this machine and a client certificate, as PEM files. */
public final class TestCertificates {
    private final Path directory;
    private final KeyPair authorityKey;
    private final X509Certificate authority;
    private final KeyPair serverKey;
    private final X509Certificate server;

    private TestCertificates(Path directory) throws Exception {
        this.directory = directory;
        authorityKey = keyPair();
        authority = issue("CN=test authority", authorityKey, true);
        serverKey = keyPair();
        server = issue("CN=localhost", serverKey, false);
        writePem("ca.crt", authority);
        writePem("server.crt", server);
        writePem("server.key", new JcaPKCS8Generator(serverKey.getPrivate(), null));
        KeyPair clientKey = keyPair();
        writePem("client.crt", issue("CN=agent", clientKey, false));
        writePem("client.key", new JcaPKCS8Generator(clientKey.getPrivate(), null));
    }

    /** Makes all of them in a directory. */
    public static TestCertificates in(Path directory) {
        try {
            return new TestCertificates(directory);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public Path authorityFile() {
        return directory.resolve("ca.crt");
    }

    public CertificateFiles serverFiles() {
        return new CertificateFiles(directory.resolve("server.crt"), directory.resolve("server.key"));
    }

    public CertificateFiles clientFiles() {
        return new CertificateFiles(directory.resolve("client.crt"), directory.resolve("client.key"));
    }

    /** A server context for the JDK's own HTTPS server. */
    public SSLContext serverContext() {
        try {
            PrivateKey key = serverKey.getPrivate();
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("server", key, new char[0], new X509Certificate[] {server});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private X509Certificate issue(String subject, KeyPair key, boolean isAuthority)
            throws IOException, OperatorCreationException, GeneralSecurityException {
        Instant now = Instant.now();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                        new X500Name("CN=test authority"),
                        new BigInteger(80, new SecureRandom()),
                        Date.from(now.minus(Duration.ofHours(1))),
                        Date.from(now.plus(Duration.ofDays(1))),
                        new X500Name(subject),
                        key.getPublic())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
        if (!isAuthority) {
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                new GeneralName(GeneralName.dNSName, "localhost"), new GeneralName(GeneralName.iPAddress, "127.0.0.1")
            }));
        }
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(authorityKey.getPrivate())));
    }

    private static KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private void writePem(String file, Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        Files.writeString(directory.resolve(file), text.toString());
    }
}
