package io.rstream.e2e.process;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority that lives for one start, and an engine's certificate of it.
 *
 * @param caFile what clients must trust, PEM
 * @param certificateFile the engine's certificate, PEM
 * @param keyFile its key, PEM (PKCS#8)
 */
public record DemoCertificates(Path caFile, Path certificateFile, Path keyFile) {
    private static final Duration VALIDITY = Duration.ofDays(30);
    private static final Duration CLOCK_TOLERANCE = Duration.ofHours(1);
    private static final String SIGNATURE = "SHA256withECDSA";

    private record Authority(X500Name name, KeyPair keys) {}

    /**
     * Creates authority, certificate and key in a folder.
     *
     * @param names DNS names of the certificate, wildcards included; it is always valid for localhost and 127.0.0.1 too
     */
    public static DemoCertificates create(Path folder, List<String> names)
            throws IOException, GeneralSecurityException {
        Authority authority = new Authority(new X500Name("CN=rstream demo authority"), newKeys());
        KeyPair keys = newKeys();
        DemoCertificates files =
                new DemoCertificates(folder.resolve("ca.pem"), folder.resolve("tls.crt"), folder.resolve("tls.key"));
        try {
            write(files.caFile(), authorityCertificate(authority));
            write(files.certificateFile(), serverCertificate(authority, keys, names));
        } catch (OperatorCreationException impossible) {
            throw new GeneralSecurityException("the certificate could not be signed", impossible);
        }
        write(files.keyFile(), new JcaPKCS8Generator(keys.getPrivate(), null));
        return files;
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static X509CertificateHolder authorityCertificate(Authority authority)
            throws GeneralSecurityException, CertIOException, OperatorCreationException {
        return builder(authority, authority.name(), authority.keys())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                .build(new JcaContentSignerBuilder(SIGNATURE)
                        .build(authority.keys().getPrivate()));
    }

    private static X509CertificateHolder serverCertificate(Authority authority, KeyPair keys, List<String> names)
            throws GeneralSecurityException, CertIOException, OperatorCreationException {
        return builder(authority, new X500Name("CN=rstream demo engine"), keys)
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                .addExtension(Extension.subjectAlternativeName, false, alternativeNames(names))
                .build(new JcaContentSignerBuilder(SIGNATURE)
                        .build(authority.keys().getPrivate()));
    }

    /** With key identifiers, which the verifier of Python 3.13 insists on (RFC 5280, section 4.2.1.1). */
    private static X509v3CertificateBuilder builder(Authority issuer, X500Name subject, KeyPair keys)
            throws GeneralSecurityException, CertIOException {
        Instant now = Instant.now();
        JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer.name(),
                new BigInteger(120, new SecureRandom()),
                Date.from(now.minus(CLOCK_TOLERANCE)),
                Date.from(now.plus(VALIDITY)),
                subject,
                keys.getPublic());
        return builder.addExtension(
                        Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(keys.getPublic()))
                .addExtension(
                        Extension.authorityKeyIdentifier,
                        false,
                        identifiers.createAuthorityKeyIdentifier(issuer.keys().getPublic()));
    }

    private static GeneralNames alternativeNames(List<String> names) {
        var all = new java.util.ArrayList<GeneralName>();
        names.forEach(name -> all.add(new GeneralName(GeneralName.dNSName, name)));
        all.add(new GeneralName(GeneralName.dNSName, "localhost"));
        all.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        return new GeneralNames(all.toArray(GeneralName[]::new));
    }

    private static void write(Path file, Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        Files.writeString(file, text.toString());
    }
}
