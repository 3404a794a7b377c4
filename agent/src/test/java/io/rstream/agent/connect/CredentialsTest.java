package io.rstream.agent.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import io.rstream.agent.config.AgentConfig.Mtls;
import io.rstream.agent.fake.TestCertificates;
import io.rstream.process.Secret;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
    @TempDir
    private Path directory;

    private TestCertificates certificates;

    @BeforeEach
    void issue() {
        certificates = TestCertificates.in(directory);
    }

    private static Credentials credentials(String token, Mtls mtls, Path trustFile) {
        return new Credentials(
                CredentialSource.ofValue("RSTREAM_AUTHENTICATION_TOKEN", token == null ? null : Secret.of(token)),
                mtls,
                trustFile);
    }

    private Mtls files(String certificate, String key, String authority) {
        return new Mtls(
                directory.resolve(certificate).toString(),
                directory.resolve(key).toString(),
                authority == null ? null : directory.resolve(authority).toString());
    }

    @Tag("parity-104")
    @Test
    void wantsATokenOrACertificate() {
        assertThatThrownBy(() -> credentials(null, null, null).load())
                .hasMessage("RSTREAM_AUTHENTICATION_TOKEN is required when mTLS is not configured");
    }

    @Tag("parity-104")
    @Test
    void doesNotTakeBoth() {
        Credentials both = credentials("t", files("client.crt", "client.key", null), null);

        assertThatThrownBy(both::load)
                .hasMessage("RSTREAM_AUTHENTICATION_TOKEN and mTLS authentication cannot be used together");
    }

    @ParameterizedTest
    @ValueSource(strings = {"marker\u0001", "marker token", "marker\ntoken", "mark\u00e9r"})
    void refusesATokenThatCannotBeOneWithoutShowingIt(String token) {
        Credentials credentials = credentials(token, null, null);

        assertThatThrownBy(credentials::load)
                .isInstanceOf(AttemptException.class)
                .hasMessageStartingWith("RSTREAM_AUTHENTICATION_TOKEN holds ")
                .hasMessageNotContainingAny("marker", "mark\u00e9r");
    }

    @Tag("parity-105")
    @Test
    void takesTlsBelow12ForNobody() throws Exception {
        Credentials.Loaded certificate = credentials(null, files("client.crt", "client.key", "ca.crt"), null)
                .load();
        Credentials.Loaded token =
                credentials("t", null, certificates.authorityFile()).load();

        assertThat(certificate.tls().newEngine(ByteBufAllocator.DEFAULT).getEnabledProtocols())
                .containsExactlyInAnyOrder("TLSv1.3", "TLSv1.2");
        assertThat(token.tls().newEngine(ByteBufAllocator.DEFAULT).getEnabledProtocols())
                .containsExactly("TLSv1.3");
    }

    @Tag("parity-105")
    @Test
    void saysWhatIsWrongWithTheKeyPair() {
        Mtls missing = files("absent.crt", "client.key", null);
        Mtls foreign = files("client.crt", "server.key", null);

        assertThatThrownBy(() -> credentials(null, missing, null).load())
                .hasMessage("load mTLS key pair: " + directory.resolve("absent.crt") + " does not exist");
        assertThatThrownBy(() -> credentials(null, foreign, null).load())
                .hasMessageStartingWith("load mTLS key pair: the private key in ");
    }

    @Tag("parity-105")
    @Test
    void saysWhatIsWrongWithTheBundle() throws Exception {
        Files.writeString(directory.resolve("empty.crt"), "nothing");

        assertThatThrownBy(() -> credentials(null, files("client.crt", "client.key", "absent.crt"), null)
                        .load())
                .hasMessage("read mTLS CA bundle: " + directory.resolve("absent.crt") + " does not exist");
        assertThatThrownBy(() -> credentials(null, files("client.crt", "client.key", "empty.crt"), null)
                        .load())
                .hasMessage("mTLS CA bundle does not contain any PEM certificates");
    }

    @Test
    void saysWhatIsWrongWithTheTrustFile() {
        Credentials credentials = credentials("t", null, directory.resolve("absent.pem"));

        assertThatThrownBy(credentials::load)
                .hasMessage("read SSL_CERT_FILE: " + directory.resolve("absent.pem") + " does not exist");
    }

    @Test
    void readsTheFilesAnewForEachAttempt() throws Exception {
        Credentials credentials = credentials(null, files("client.crt", "client.key", "ca.crt"), null);
        assertThat(credentials.load().token()).isNull();

        Files.writeString(directory.resolve("client.key"), "broken");

        assertThatThrownBy(credentials::load).hasMessageStartingWith("load mTLS key pair: ");
        assertThat(certificates.authorityFile()).exists();
    }

    @Test
    void keepsTheTokenOutOfItsText() {
        assertThat(credentials("marker", null, null)).asString().doesNotContain("marker");
    }
}
