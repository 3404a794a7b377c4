package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PemFileTest {
    @TempDir
    Path directory;

    @Test
    void readsKeysInPkcs8() throws Exception {
        assertReads(TestCertificate.rsa(), TestCertificate.rsa().pkcs8Pem(), false);
        for (TestCertificate each :
                new TestCertificate[] {TestCertificate.ec(), TestCertificate.rsa(), TestCertificate.ed25519()}) {
            assertReads(each, each.pkcs8Pem(), true);
        }
    }

    @Test
    void readsAnRsaKeyInPkcs1() throws Exception {
        TestCertificate rsa = TestCertificate.rsa();

        assertThat(rsa.traditionalPem()).startsWith("-----BEGIN RSA PRIVATE KEY-----");
        assertReads(rsa, rsa.traditionalPem(), true);
    }

    @Test
    void readsAnEcKeyThatNamesItsCurve() throws Exception {
        TestCertificate ec = TestCertificate.ec();
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(ec.keys().getPrivate().getEncoded());
        ASN1Encodable curve = info.getPrivateKeyAlgorithm().getParameters();
        ECPrivateKey bare = ECPrivateKey.getInstance(info.parsePrivateKey());
        ECPrivateKey named = new ECPrivateKey(256, bare.getKey(), curve);

        assertReads(ec, TestCertificate.pem("EC PRIVATE KEY", named.getEncoded("DER")), true);
    }

    @Test
    void readsAnEcKeyWhoseCurveStandsBeforeIt() throws Exception {
        TestCertificate ec = TestCertificate.ec();
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(ec.keys().getPrivate().getEncoded());
        byte[] curve =
                info.getPrivateKeyAlgorithm().getParameters().toASN1Primitive().getEncoded();
        byte[] key = new ECPrivateKey(
                        256, ECPrivateKey.getInstance(info.parsePrivateKey()).getKey())
                .getEncoded("DER");

        assertReads(ec, TestCertificate.pem("EC PARAMETERS", curve) + TestCertificate.pem("EC PRIVATE KEY", key), true);
        assertThatThrownBy(() -> key(TestCertificate.pem("EC PRIVATE KEY", key)))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("curve");
    }

    @Test
    void readsAKeyThatStandsBehindItsCertificate() throws Exception {
        TestCertificate ec = TestCertificate.ec();

        assertReads(ec, "Some words first\n" + ec.certificatePem() + ec.pkcs8Pem(), true);
    }

    @Test
    void saysWhatIsWrongWithAKey() {
        assertThatThrownBy(() -> key("nothing"))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("key.pem holds no private key");
        assertThatThrownBy(() -> key(TestCertificate.pem("ENCRYPTED PRIVATE KEY", new byte[] {1})))
                .hasMessageContaining("encrypted");
        assertThatThrownBy(() -> key(TestCertificate.pem("PRIVATE KEY", new byte[] {1, 2, 3})))
                .hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> key(TestCertificate.pem("EC PRIVATE KEY", new byte[] {0x30, 0x50, 1})))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("DER");
    }

    @Test
    void readsAllCertificatesOfAChain() throws Exception {
        TestCertificate first = TestCertificate.ec();
        TestCertificate second = TestCertificate.rsa();
        Path file = Files.writeString(
                directory.resolve("chain.pem"), first.certificatePem() + "\r\n" + second.certificatePem());

        assertThat(PemFile.read(file).certificates())
                .extracting(certificate -> certificate.getPublicKey())
                .containsExactly(first.keys().getPublic(), second.keys().getPublic());
    }

    @Test
    void saysThatThereIsNoCertificate() throws Exception {
        Path file = Files.writeString(directory.resolve("empty.pem"), "");

        assertThatThrownBy(() -> PemFile.read(file).certificates())
                .hasMessageContaining("empty.pem holds no certificate");
    }

    private void assertReads(TestCertificate certificate, String pem, boolean same) throws Exception {
        PrivateKey expected = certificate.keys().getPrivate();
        PrivateKey actual = key(pem);
        // EC keys are equal only when their encodings are, which may or may not repeat the curve inside.
        boolean equal = actual instanceof java.security.interfaces.ECPrivateKey ec
                ? ec.getS().equals(((java.security.interfaces.ECPrivateKey) expected).getS())
                : actual.equals(expected);
        assertThat(equal).isEqualTo(same);
    }

    private PrivateKey key(String pem) throws Exception {
        return PemFile.read(Files.writeString(directory.resolve("key.pem"), pem))
                .privateKey();
    }
}
