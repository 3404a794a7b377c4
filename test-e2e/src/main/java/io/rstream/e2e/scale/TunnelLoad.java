package io.rstream.e2e.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/** Creates tunnels at a steady rate, a thousand to a namespace; each namespace has what they refer to. */
final class TunnelLoad {

    private static final int PER_NAMESPACE = 1_000;
    private static final String GROUP = "/apis/tunnels.rstream.io/v1alpha1/namespaces/";

    /**
     * A tunnel that was created.
     *
     * @param sentNanos when the request was sent, in the time of {@link System#nanoTime}
     */
    record Created(String namespace, String name, long sentNanos) {}

    private final RawApi api;
    private final String prefix;

    /** A load in namespaces whose names begin with the prefix. */
    TunnelLoad(RawApi api, String prefix) {
        this.api = api;
        this.prefix = prefix;
    }

    /** Creates namespaces with a connection, its Secret and a Service, enough for this many tunnels. */
    void prepare(int tunnels) throws IOException, InterruptedException {
        for (var number = 0; number * PER_NAMESPACE < tunnels; number++) {
            var namespace = prefix + number;
            api.create("/api/v1/namespaces", "{\"metadata\": {\"name\": \"%s\"}}".formatted(namespace));
            api.create("/api/v1/namespaces/" + namespace + "/secrets", """
                    {"metadata": {"name": "credentials"}, "stringData": {"token": "0123456789"}}""");
            api.create("/api/v1/namespaces/" + namespace + "/services", """
                    {"metadata": {"name": "web"}, "spec": {"ports": [{"name": "http", "port": 8080}]}}""");
            api.create(GROUP + namespace + "/rstreamconnections", """
                    {"apiVersion": "tunnels.rstream.io/v1alpha1", "kind": "RstreamConnection",
                    "metadata": {"name": "default"}, "spec": {"engine": "project-42.edge.example.com:443",
                    "tokenSecretRef": {"name": "credentials", "key": "token"}}}""");
        }
    }

    /**
     * Creates tunnels and returns when the last one was answered.
     *
     * @param perSecond how many are begun each second, however long the answers take
     * @param progress is told from time to time how many were begun
     * @throws IOException when one was refused
     */
    List<Created> create(int tunnels, int perSecond, IntConsumer progress) throws IOException, InterruptedException {
        var created = new ConcurrentLinkedQueue<Created>();
        var refusals = new ConcurrentLinkedQueue<IOException>();
        var begin = System.nanoTime();
        try (var calls = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var number = 0; number < tunnels; number++) {
                waitUntil(begin + number * Duration.ofSeconds(1).toNanos() / perSecond);
                var next = number;
                calls.execute(() -> create(next, created, refusals));
                if (number % PER_NAMESPACE == 0) {
                    progress.accept(number);
                }
            }
        }
        if (!refusals.isEmpty()) {
            throw new IOException("%d of %d tunnels were not created: %s"
                    .formatted(refusals.size(), tunnels, refusals.peek().getMessage()));
        }
        return new ArrayList<>(created);
    }

    private void create(
            int number, ConcurrentLinkedQueue<Created> created, ConcurrentLinkedQueue<IOException> refusals) {
        var namespace = prefix + number / PER_NAMESPACE;
        var name = "tunnel-" + number;
        var sent = System.nanoTime();
        try {
            api.create(GROUP + namespace + "/rstreamtunnels", """
                    {"apiVersion": "tunnels.rstream.io/v1alpha1", "kind": "RstreamTunnel",
                    "metadata": {"name": "%s"},
                    "spec": {"target": {"service": {"name": "web", "port": "http"}}}}""".formatted(name));
            created.add(new Created(namespace, name, sent));
        } catch (IOException refused) {
            refusals.add(refused);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static void waitUntil(long nanos) throws InterruptedException {
        for (var left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
