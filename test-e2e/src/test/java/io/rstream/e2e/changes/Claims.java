package io.rstream.e2e.changes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rstream.e2e.install.Trusting;
import io.rstream.e2e.process.EngineProcess;
import io.rstream.process.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.util.HashSet;
import java.util.Set;

/** What an engine's inventory says about who serves a tunnel. */
final class Claims implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EngineProcess engine;
    private final Secret token;
    private final HttpClient http;

    Claims(EngineProcess engine, Secret token) throws IOException, GeneralSecurityException {
        this.engine = engine;
        this.token = token;
        this.http = HttpClient.newBuilder()
                .sslContext(Trusting.only(engine.caFile()))
                .build();
    }

    /** Ids of the tunnels that are online with this label {@code rstream.kubernetes.uid}. */
    Set<String> of(String uid) {
        try {
            var request = HttpRequest.newBuilder(URI.create("https://" + engine.address() + "/api/tunnels"))
                    .header("Authorization", "Bearer " + token.reveal())
                    .build();
            Set<String> ids = new HashSet<>();
            for (JsonNode tunnel :
                    JSON.readTree(http.send(request, BodyHandlers.ofString()).body())) {
                if (tunnel.at("/labels/rstream.kubernetes.uid").asText().equals(uid)) {
                    ids.add(tunnel.get("id").asText());
                }
            }
            return ids;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("the engine's inventory cannot be read", e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
