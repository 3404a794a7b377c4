package io.rstream.protocol;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/** A self-signed certificate for localhost and 127.0.0.1, with its key in every PEM form. */
record TestCertificate(KeyPair keys, X509CertificateHolder certificate) {

    static TestCertificate ec() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return selfSigned(generator.generateKeyPair(), "SHA256withECDSA");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static TestCertificate rsa() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return selfSigned(generator.generateKeyPair(), "SHA256withRSA");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static TestCertificate ed25519() {
        try {
            return selfSigned(KeyPairGenerator.getInstance("Ed25519").generateKeyPair(), "Ed25519");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static TestCertificate selfSigned(KeyPair keys, String algorithm) {
        try {
            X500Name name = new X500Name("CN=localhost");
            Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
            var builder = new JcaX509v3CertificateBuilder(
                    name,
                    new BigInteger(64, new java.security.SecureRandom()).abs().add(BigInteger.ONE),
                    Date.from(now.minus(1, ChronoUnit.HOURS)),
                    Date.from(now.plus(1, ChronoUnit.DAYS)),
                    name,
                    keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                new GeneralName(GeneralName.dNSName, "localhost"), new GeneralName(GeneralName.iPAddress, "127.0.0.1")
            }));
            return new TestCertificate(
                    keys, builder.build(new JcaContentSignerBuilder(algorithm).build(keys.getPrivate())));
        } catch (IOException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String pkcs8Pem() {
        return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    /** PKCS#1 for an RSA key, SEC 1 for an EC key. */
    String traditionalPem() {
        try {
            ASN1Encodable inner =
                    PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded()).parsePrivateKey();
            String label = keys.getPrivate().getAlgorithm().equals("RSA") ? "RSA PRIVATE KEY" : "EC PRIVATE KEY";
            return pem(label, inner.toASN1Primitive().getEncoded("DER"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes both files into a directory. */
    CertificateFiles in(Path directory) {
        return in(directory, pkcs8Pem());
    }

    CertificateFiles in(Path directory, String keyPem) {
        try {
            Path chain = Files.writeString(directory.resolve("tls.crt"), certificatePem());
            Path key = Files.writeString(directory.resolve("tls.key"), keyPem);
            return new CertificateFiles(chain, key);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String pem(String label, byte[] der) {
        StringWriter text = new StringWriter();
        try (PemWriter writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(label, der));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    static byte[] derOf(String pem) {
        return Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]+-----", ""));
    }
}
