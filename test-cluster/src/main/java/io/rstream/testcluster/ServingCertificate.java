package io.rstream.testcluster;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A fresh self-signed certificate with its key (EC P-256, a few days valid), made at each start so that none expires in a cache. */
record ServingCertificate(X509Certificate certificate, KeyPair keys) {

    private static final Duration VALIDITY = Duration.ofDays(7);

    static ServingCertificate selfSigned(String subject, GeneralName... names) {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            var keys = generator.generateKeyPair();
            var name = new X500Name(subject);
            var now = Instant.now();
            var builder = new JcaX509v3CertificateBuilder(
                    name,
                    new BigInteger(120, new SecureRandom()),
                    Date.from(now.minusSeconds(60)),
                    Date.from(now.plus(VALIDITY)),
                    name,
                    keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            if (names.length > 0) {
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
            }
            var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate());
            return new ServingCertificate(
                    new JcaX509CertificateConverter().getCertificate(builder.build(signer)), keys);
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new IllegalStateException("this JDK cannot make an EC P-256 certificate: " + e.getMessage(), e);
        }
    }

    /** For a server on loopback: valid for {@code 127.0.0.1} and {@code localhost}. */
    static ServingCertificate forLoopback(String subject) {
        return selfSigned(
                subject,
                new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
                new GeneralName(GeneralName.dNSName, "localhost"));
    }

    String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a fresh certificate has no encoding", e);
        }
    }

    /** PKCS#8. */
    String keyPem() {
        return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    /** X.509 SubjectPublicKeyInfo. */
    String publicKeyPem() {
        return pem("PUBLIC KEY", keys.getPublic().getEncoded());
    }

    SSLContext serverContext() {
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("key", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
            var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, new char[0]);
            var context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no TLS context from a fresh certificate: " + e.getMessage(), e);
        }
    }

    private static String pem(String type, byte[] der) {
        var body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, body, type);
    }
}
