package io.rstream.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.rstream.engine.TestCertificate;
import io.rstream.engine.agents.AuthenticationOutcome.Admitted;
import io.rstream.engine.agents.AuthenticationOutcome.Denied;
import io.rstream.engine.config.EngineConfig.CertificateEntry;
import io.rstream.process.Secret;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AuthenticatorTest {
    private final Tokens tokens = new Tokens(Secret.of("0123456789abcdef0123456789abcdef"), Clock.systemUTC());
    private final TestCertificate certificate = TestCertificate.create("agent");

    @Test
    void admitsATokenWithAllPermissionsWhenItNamesNone() {
        Identity identity = identity(required().authenticate(token("ci", null), null));

        assertThat(identity.principal()).isEqualTo("subject:ci");
        assertThat(identity.user()).isEqualTo("ci");
        assertThat(identity.permissions()).containsExactlyInAnyOrder(Permission.values());
    }

    @Test
    void takesTheTokenItselfForThePrincipalWhenThereIsNoSubject() {
        String token = token(null, null);

        Identity first = identity(required().authenticate(token, null));
        Identity second = identity(required().authenticate(token, null));

        assertThat(first.principal()).startsWith("token:").isEqualTo(second.principal());
        assertThat(token).doesNotContain(first.principal().substring(6));
    }

    @Test
    void readsThePermissionsThatItKnows() {
        Identity identity = identity(
                required().authenticate(token("ci", List.of("tunnels.streams.create-delete", "account.x")), null));

        assertThat(identity.permissions()).isEqualTo(Set.of(Permission.CREATE_STREAMS));
    }

    @Test
    void admitsARegisteredCertificate() {
        Authenticator authenticator = new Authenticator(
                tokens,
                true,
                List.of(new CertificateEntry(
                        certificate.fingerprint(), "edge-agent", List.of("tunnels.tunnels.create-delete"))));

        Identity identity = identity(authenticator.authenticate(null, certificate.certificate()));

        assertThat(identity.user()).isEqualTo("edge-agent");
        assertThat(identity.permissions()).containsExactly(Permission.CREATE_TUNNELS);
    }

    @Test
    void takesCertificatesWithOneNameForOnePrincipal() {
        TestCertificate next = TestCertificate.create("agent");
        Authenticator authenticator = new Authenticator(
                tokens,
                true,
                List.of(
                        new CertificateEntry(certificate.fingerprint(), "edge-agent", null),
                        new CertificateEntry(next.fingerprint(), "edge-agent", null)));

        assertThat(identity(authenticator.authenticate(null, next.certificate()))
                        .principal())
                .isEqualTo(identity(authenticator.authenticate(null, certificate.certificate()))
                        .principal());
    }

    @Test
    void deniesAnUnknownCertificateEvenWhereNothingIsRequired() {
        Authenticator open = new Authenticator(null, false, List.of());

        assertThat(open.authenticate(null, certificate.certificate()))
                .isEqualTo(new Denied("The client certificate is not registered here."));
    }

    @Test
    void deniesTokenAndCertificateTogether() {
        Authenticator authenticator = new Authenticator(
                tokens, true, List.of(new CertificateEntry(certificate.fingerprint(), "edge-agent", null)));

        assertThat(authenticator.authenticate(token("ci", null), certificate.certificate()))
                .isEqualTo(new Denied("A token and a client certificate cannot be used together."));
    }

    @Test
    void deniesNothingAtAllUnlessThatIsAllowed() {
        assertThat(required().authenticate(null, null)).isEqualTo(new Denied("A token is required."));
        assertThat(new Authenticator(null, false, List.of()).authenticate(null, null))
                .isInstanceOf(Admitted.class);
    }

    @Test
    void deniesAWrongTokenEvenWhereNoneIsRequired() {
        Authenticator optional = new Authenticator(tokens, false, List.of());

        assertThat(optional.authenticate("a.b.c", null)).isInstanceOf(Denied.class);
    }

    private Authenticator required() {
        return new Authenticator(tokens, true, List.of());
    }

    private String token(String subject, List<String> permissions) {
        return tokens.issue(subject, null, permissions).reveal();
    }

    private static Identity identity(AuthenticationOutcome outcome) {
        assertThat(outcome).isInstanceOf(Admitted.class);
        return ((Admitted) outcome).identity();
    }
}
