package io.rstream.engine.agents;

import io.rstream.engine.agents.AuthenticationOutcome.Admitted;
import io.rstream.engine.agents.AuthenticationOutcome.Denied;
import io.rstream.engine.config.EngineConfig.CertificateEntry;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Token or client certificate to an identity (protocol, section 9). Thread-safe. */
public final class Authenticator {
    private static final int FINGERPRINT_DIGITS = 16;
    private static final Identity ANYBODY = new Identity("anonymous", null, Identity.permissions(null));

    private final @Nullable Tokens tokens;
    private final boolean requireToken;
    private final Map<String, Identity> certificates = new HashMap<>();

    /**
     * What is accepted.
     *
     * @param tokens verifies tokens, or null when there is no secret to verify them with
     * @param requireToken false admits clients without a credential
     * @param registered accepted client certificates
     */
    public Authenticator(@Nullable Tokens tokens, boolean requireToken, Collection<CertificateEntry> registered) {
        this.tokens = tokens;
        this.requireToken = requireToken;
        for (CertificateEntry entry : registered) {
            certificates.put(
                    entry.sha256(),
                    new Identity(
                            "certificate:" + entry.name(), entry.name(), Identity.permissions(entry.permissions())));
        }
    }

    /**
     * Decides.
     *
     * @param token the token presented, or null
     * @param certificate the client certificate presented, or null; TLS has proved that the client holds its key
     */
    public AuthenticationOutcome authenticate(@Nullable String token, @Nullable Certificate certificate) {
        if (certificate != null) {
            if (token != null) {
                return new Denied("A token and a client certificate cannot be used together.");
            }
            Identity identity = certificates.get(fingerprint(certificate));
            return identity == null
                    ? new Denied("The client certificate is not registered here.")
                    : new Admitted(identity, null);
        }
        if (token != null && tokens != null) {
            return byToken(tokens, token);
        }
        if (!requireToken) {
            return new Admitted(ANYBODY, null);
        }
        return new Denied(token == null ? "A token is required." : "Tokens are not accepted here.");
    }

    private static AuthenticationOutcome byToken(Tokens tokens, String token) {
        try {
            TokenClaims claims = tokens.verify(token);
            String subject = claims.subject();
            // Without a subject, the token itself is what two sessions have in common.
            String principal = subject == null
                    ? "token:" + sha256(token.getBytes(StandardCharsets.UTF_8)).substring(0, FINGERPRINT_DIGITS)
                    : "subject:" + subject;
            return new Admitted(
                    new Identity(principal, subject, Identity.permissions(claims.permissions())), claims.expiry());
        } catch (TokenException invalid) {
            return new Denied(String.valueOf(invalid.getMessage()));
        }
    }

    private static String fingerprint(Certificate certificate) {
        try {
            return sha256(certificate.getEncoded());
        } catch (GeneralSecurityException unreadable) {
            return "";
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
