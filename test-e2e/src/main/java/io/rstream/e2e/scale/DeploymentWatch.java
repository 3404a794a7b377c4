package io.rstream.e2e.scale;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rstream.api.v1alpha1.WellKnown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Notes when the Deployment of each tunnel was first seen, by a watch that carries metadata only. Thread-safe.
 */
final class DeploymentWatch implements AutoCloseable {

    private static final String PATH = "/apis/apps/v1/deployments?watch=true&timeoutSeconds=7200&labelSelector="
            + WellKnown.LABEL_MANAGED_BY + "%3D" + WellKnown.APPLICATION_NAME;
    private static final String METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

    /**
     * A Deployment as the watch shows it.
     *
     * @param generation version of its spec
     */
    record Seen(String namespace, String name, long generation) {}

    private final RawApi api;
    private final Consumer<Seen> listener;
    private final ObjectMapper json = new ObjectMapper();
    private final Map<String, Long> firstSeenNanos = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean closing;

    private DeploymentWatch(RawApi api, Consumer<Seen> listener) {
        this.api = api;
        this.listener = listener;
        this.thread = Thread.ofPlatform().daemon().name("deployment-watch").unstarted(this::follow);
    }

    /** Starts watching; the listener is told each change, and is called by one thread. */
    static DeploymentWatch start(RawApi api, Consumer<Seen> listener) {
        var watch = new DeploymentWatch(api, listener);
        watch.thread.start();
        return watch;
    }

    /** When the tunnel's Deployment was first seen, in the time of {@link System#nanoTime}. */
    OptionalLong firstSeen(String namespace, String tunnel) {
        var nanos = firstSeenNanos.get(namespace + "/" + tunnel);
        return nanos == null ? OptionalLong.empty() : OptionalLong.of(nanos);
    }

    /** How many tunnels have one. */
    int count() {
        return firstSeenNanos.size();
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
    }

    /** A watch that ended begins again with everything that exists, which changes nothing in what was noted. */
    private void follow() {
        while (!closing) {
            try {
                api.stream(PATH, METADATA_ONLY, this::note);
            } catch (InterruptedException ended) {
                return;
            } catch (IOException | UncheckedIOException broken) {
                Thread.onSpinWait();
            }
        }
    }

    private void note(String line) {
        var now = System.nanoTime();
        var metadata = read(line).path("object").path("metadata");
        var namespace = metadata.path("namespace").asText();
        var tunnel = metadata.path("labels").path(WellKnown.LABEL_TUNNEL_NAME).asText();
        firstSeenNanos.putIfAbsent(namespace + "/" + tunnel, now);
        listener.accept(new Seen(
                namespace,
                metadata.path("name").asText(),
                metadata.path("generation").asLong()));
    }

    private JsonNode read(String line) {
        try {
            return json.readTree(line);
        } catch (JsonProcessingException cut) {
            throw new UncheckedIOException(cut);
        }
    }
}
