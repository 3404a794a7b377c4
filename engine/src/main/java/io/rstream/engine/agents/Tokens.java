package io.rstream.engine.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.process.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * JSON Web Tokens signed with HMAC SHA-256 and a shared secret (RFC 7515, RFC 7519; protocol, section 9.2): makes and
 * verifies them. Thread-safe.
 */
public final class Tokens {
    /** RFC 7518, section 3.2: the key is at least as long as the hash. */
    public static final int SHORTEST_SECRET = 32;

    private static final int LONGEST_TOKEN = 8_192;
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final Secret secret;
    private final Clock clock;

    /**
     * Tokens of one engine.
     *
     * @param secret at least {@link #SHORTEST_SECRET} bytes
     * @throws IllegalArgumentException when it is shorter
     */
    public Tokens(Secret secret, Clock clock) {
        int length = secret.reveal().getBytes(StandardCharsets.UTF_8).length;
        if (length < SHORTEST_SECRET) {
            throw new IllegalArgumentException("the token secret has " + length + " bytes; at least " + SHORTEST_SECRET
                    + " are needed, for example from: openssl rand -hex 32");
        }
        this.secret = secret;
        this.clock = clock;
    }

    /**
     * Makes a token.
     *
     * @param subject who it is for, or null
     * @param lifetime how long it is valid, or null for ever
     * @param permissions names of what it allows; null for everything
     */
    public Secret issue(@Nullable String subject, @Nullable Duration lifetime, @Nullable List<String> permissions) {
        Instant now = clock.instant();
        ObjectNode claims = JsonNodeFactory.instance.objectNode();
        if (subject != null) {
            claims.put("sub", subject);
        }
        claims.put("iat", now.getEpochSecond());
        if (lifetime != null) {
            claims.put("exp", now.plus(lifetime).getEpochSecond());
        }
        if (permissions != null) {
            permissions.forEach(claims.putArray("permissions")::add);
        }
        String signed = encode("{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + encode(claims.toString());
        return Secret.of(signed + "." + BASE64.encodeToString(sign(signed)));
    }

    /** Checks signature and times. */
    public TokenClaims verify(String token) throws TokenException {
        int secondDot = token.lastIndexOf('.');
        int firstDot = token.indexOf('.');
        if (token.length() > LONGEST_TOKEN || firstDot <= 0 || token.indexOf('.', firstDot + 1) != secondDot) {
            throw new TokenException("The token is not a JSON Web Token.");
        }
        JsonNode header = decode(token.substring(0, firstDot));
        if (!"HS256".equals(header.path("alg").asText()) || header.has("crit")) {
            throw new TokenException("The token is not signed with HS256.");
        }
        byte[] expected = sign(token.substring(0, secondDot));
        if (!MessageDigest.isEqual(expected, bytes(token.substring(secondDot + 1)))) {
            throw new TokenException("The token is not valid here.");
        }
        return claims(decode(token.substring(firstDot + 1, secondDot)));
    }

    private TokenClaims claims(JsonNode claims) throws TokenException {
        long now = clock.instant().getEpochSecond();
        Instant expiry = null;
        if (claims.has("exp")) {
            long seconds = seconds(claims, "exp");
            if (seconds <= now) {
                throw new TokenException("The token has expired.");
            }
            expiry = Instant.ofEpochSecond(Math.min(seconds, Instant.MAX.getEpochSecond()));
        }
        if (claims.has("nbf") && seconds(claims, "nbf") > now + CLOCK_TOLERANCE.toSeconds()) {
            throw new TokenException("The token is not valid yet.");
        }
        if (claims.has("tunnelsGrants") || claims.path("resources").has("tunnels")) {
            // An ignored restriction would be a hole.
            throw new TokenException("The token carries grants, which this engine does not enforce.");
        }
        JsonNode subject = claims.path("sub");
        return new TokenClaims(subject.isTextual() ? subject.textValue() : null, permissions(claims), expiry);
    }

    private static @Nullable List<String> permissions(JsonNode claims) throws TokenException {
        for (String name : List.of("permissions", "scp", "scope")) {
            JsonNode value = claims.path(name);
            if (value.isMissingNode()) {
                continue;
            }
            if (value.isTextual() && !name.equals("permissions")) {
                return List.of(value.textValue().trim().split("\\s+", -1));
            }
            if (!value.isArray()) {
                throw new TokenException("The token's permissions cannot be read.");
            }
            List<String> permissions = new ArrayList<>();
            value.forEach(entry -> permissions.add(entry.asText()));
            return permissions;
        }
        return null;
    }

    private static long seconds(JsonNode claims, String name) throws TokenException {
        JsonNode value = claims.path(name);
        if (!value.isNumber()) {
            throw new TokenException("The token's " + name + " cannot be read.");
        }
        return (long) Math.floor(value.doubleValue());
    }

    private byte[] sign(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.reveal().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java platform has HmacSHA256", impossible);
        }
    }

    private static String encode(String text) {
        return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode decode(String part) throws TokenException {
        try {
            JsonNode node = JSON.readTree(bytes(part));
            if (node != null && node.isObject()) {
                return node;
            }
        } catch (JsonProcessingException malformed) {
            throw new TokenException("The token is not a JSON Web Token.");
        } catch (IOException impossible) {
            throw new IllegalStateException("reading from an array cannot fail", impossible);
        }
        throw new TokenException("The token is not a JSON Web Token.");
    }

    private static byte[] bytes(String base64) throws TokenException {
        try {
            return Base64.getUrlDecoder().decode(base64);
        } catch (IllegalArgumentException malformed) {
            throw new TokenException("The token is not a JSON Web Token.");
        }
    }
}
