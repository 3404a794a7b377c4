package io.rstream.protocol;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Certificates and private keys in PEM text (RFC 7468). Keys may be PKCS#8, PKCS#1 (RFC 8017) or SEC 1 (RFC 5915), not
 * encrypted. Messages name the file and never its content.
 */
record PemFile(Path file, List<Block> blocks) {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    /** One block: its label and its text. */
    record Block(String label, String base64) {
        byte[] der() {
            return Base64.getMimeDecoder().decode(base64);
        }
    }

    /** Reads a file. */
    static PemFile read(Path file) throws IOException {
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            blocks.add(block(file, matcher.group(1), matcher.group(2).strip()));
        }
        return new PemFile(file, List.copyOf(blocks));
    }

    /** All certificates in order; at least one. */
    List<X509Certificate> certificates() throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks) {
            if (block.label().equals("CERTIFICATE")) {
                certificates.add(certificate(factory, block));
            }
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException(
                    "%s holds no certificate; a PEM block CERTIFICATE is expected".formatted(file));
        }
        return certificates;
    }

    private X509Certificate certificate(CertificateFactory factory, Block block) throws GeneralSecurityException {
        try {
            return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.der()));
        } catch (CertificateException e) {
            throw new GeneralSecurityException(
                    "%s holds a block CERTIFICATE that is not an X.509 certificate".formatted(file), e);
        }
    }

    /** The first private key. */
    PrivateKey privateKey() throws GeneralSecurityException {
        for (Block block : blocks) {
            switch (block.label()) {
                case "PRIVATE KEY" -> {
                    return parse(block.der());
                }
                case "RSA PRIVATE KEY" -> {
                    return parse(Der.pkcs8FromPkcs1(block.der()));
                }
                case "EC PRIVATE KEY" -> {
                    return parse(Der.pkcs8FromSec1(block.der(), curve()));
                }
                case "ENCRYPTED PRIVATE KEY" ->
                    throw new GeneralSecurityException(
                            "the private key in %s is encrypted; store it without a passphrase".formatted(file));
                default -> {
                    // Certificates and parameters may stand in the same file.
                }
            }
        }
        throw new GeneralSecurityException(
                "%s holds no private key; a PEM block PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY is expected"
                        .formatted(file));
    }

    private Optional<byte[]> curve() {
        return blocks.stream()
                .filter(block -> block.label().equals("EC PARAMETERS"))
                .map(Block::der)
                .findFirst();
    }

    private PrivateKey parse(byte[] pkcs8) throws GeneralSecurityException {
        for (String algorithm : List.of("EC", "RSA", "EdDSA", "RSASSA-PSS")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                // Another algorithm's key; a key of no algorithm is reported below.
            }
        }
        throw new GeneralSecurityException(
                "the private key in %s cannot be read; RSA, EC and EdDSA keys are supported".formatted(file));
    }

    private static Block block(Path file, String label, String base64) throws IOException {
        Block block = new Block(label, base64);
        try {
            var _ = block.der();
            return block;
        } catch (IllegalArgumentException e) {
            throw new IOException("%s holds a PEM block that is not base64".formatted(file), e);
        }
    }
}
