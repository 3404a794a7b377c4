package io.rstream.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RstreamConnectionSpecTest {

    private static final RstreamConnectionSpec SPEC = Yaml.connection("""
            projectEndpoint: abc
            tokenSecretRef: {name: token, key: b}
            controlPlaneHeaders:
              - {name: X-A, valueSecretRef: {name: headers, key: a}}
              - {name: X-B, valueSecretRef: {name: token, key: b}}
              - {name: X-C, valueSecretRef: {name: headers, key: a}}
            mtls:
              certSecretRef: {name: certificate, key: tls.crt}
              keySecretRef: {name: certificate, key: tls.key}
              caSecretRef: {name: authority, key: ca.crt}
            transport:
              proxy:
                usernameSecretRef: {name: proxy, key: username}
                passwordSecretRef: {name: proxy, key: password}
            """);

    @Test
    @Tag("parity-71")
    void keepsHeaderSecretsFromAgents() {
        var refs = SPEC.agentSecretRefs();

        assertThat(refs)
                .extracting(ref -> ref.name() + "/" + ref.key())
                .containsExactly(
                        "authority/ca.crt",
                        "certificate/tls.crt",
                        "certificate/tls.key",
                        "proxy/password",
                        "proxy/username",
                        "token/b");
    }

    @Test
    @Tag("parity-35")
    void listsEachHeaderSecretOnce() {
        var refs = SPEC.headerSecretRefs();

        assertThat(refs).extracting(ref -> ref.name() + "/" + ref.key()).containsExactly("headers/a", "token/b");
    }

    @Test
    void listsAllSecretsSortedAndOnce() {
        var refs = SPEC.secretRefs();

        assertThat(refs.first()).isEqualTo(new SecretKeyRef("authority", "ca.crt"));
        assertThat(refs.last()).isEqualTo(new SecretKeyRef("token", "b"));
        assertThat(refs).hasSize(7).contains(new SecretKeyRef("headers", "a"));
    }

    @Test
    void needsNoSecretWhenNothingIsDeclared() {
        var connection = new RstreamConnection();

        assertThat(connection.declared().secretRefs()).isEmpty();
    }
}
