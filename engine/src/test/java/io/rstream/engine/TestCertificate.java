package io.rstream.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.HexFormat;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A self-signed certificate with its key. */
public record TestCertificate(KeyPair keys, X509Certificate certificate) {

    /** Valid from an hour ago for a day. */
    public static TestCertificate create(String... dnsNames) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        return create(now.minus(1, ChronoUnit.HOURS), now.plus(1, ChronoUnit.DAYS), dnsNames);
    }

    public static TestCertificate create(Instant from, Instant to, String... dnsNames) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keys = generator.generateKeyPair();
            X500Name name = new X500Name("CN=" + dnsNames[0]);
            var builder = new JcaX509v3CertificateBuilder(
                    name,
                    new BigInteger(64, new SecureRandom()).abs().add(BigInteger.ONE),
                    Date.from(from),
                    Date.from(to),
                    name,
                    keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(Arrays.stream(dnsNames)
                            .map(dns -> new GeneralName(GeneralName.dNSName, dns))
                            .toArray(GeneralName[]::new)));
            return new TestCertificate(
                    keys,
                    new JcaX509CertificateConverter()
                            .getCertificate(builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()))));
        } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public String fingerprint() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes {@code <name>.crt} and {@code <name>.key}. */
    public void write(Path folder, String name) {
        try {
            Files.writeString(folder.resolve(name + ".crt"), pem("CERTIFICATE", certificate.getEncoded()));
            Files.writeString(
                    folder.resolve(name + ".key"),
                    pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
                .formatted(type, Base64.getMimeEncoder().encodeToString(der), type);
    }
}
