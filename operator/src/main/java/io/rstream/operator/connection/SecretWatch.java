package io.rstream.operator.connection;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.informer.TransformingItemStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Knows which Secrets exist and in which version, and tells when that changes. It asks the API server for metadata only,
 * so that no value of a Secret that nobody refers to ever reaches the operator; of the metadata it keeps name and version.
 *
 * <p>The client library has no such watch. It is made of one for whole Secrets by a header on each request, in a client of
 * its own; the requests must be plain HTTP since headers of a WebSocket are out of reach.
 */
final class SecretWatch implements AutoCloseable {

    private static final String ALL = "";
    private static final long PAGE = 500;

    private final KubernetesClient client;
    private final Map<String, SharedIndexInformer<Secret>> informers = new LinkedHashMap<>();
    private final List<Consumer<ResourceID>> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /**
     * Describes a watch; {@link #start} begins it.
     *
     * @param namespaces where to look; empty means everywhere
     */
    SecretWatch(Config kubernetes, Set<String> namespaces) {
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(kubernetes)
                        .withOnlyHttpWatches(true)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .withKubernetesSerialization(new KubernetesSerialization(emptyLists(), false))
                .withHttpClientBuilderConsumer(
                        http -> http.addOrReplaceInterceptor("metadata-only", new MetadataOnly()))
                .build();
        if (namespaces.isEmpty()) {
            informers.put(
                    ALL,
                    prepare(client.secrets().inAnyNamespace().withLimit(PAGE).runnableInformer(0)));
        }
        for (var namespace : namespaces) {
            informers.put(
                    namespace,
                    prepare(client.secrets()
                            .inNamespace(namespace)
                            .withLimit(PAGE)
                            .runnableInformer(0)));
        }
    }

    /**
     * Fills the cache.
     *
     * @param onStopped called when a watch ended for good, with its cause
     * @throws IllegalStateException when that takes longer than the limit, or the API server refuses
     */
    void start(Duration limit, Consumer<Throwable> onStopped) {
        for (var informer : informers.values()) {
            informer.stopped().whenComplete((_, failure) -> {
                if (failure != null && !closed) {
                    onStopped.accept(failure);
                }
            });
        }
        // All begin before the first is waited for.
        var starts = informers.values().stream()
                .map(informer -> informer.start().toCompletableFuture())
                .toList();
        try {
            for (var start : starts) {
                start.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException | TimeoutException failure) {
            throw new IllegalStateException("cannot watch Secrets", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Secrets were listed", interrupted);
        }
    }

    /** The version of a Secret, if it exists and is watched. */
    Optional<String> version(ResourceID id) {
        var namespace = id.getNamespace().orElse("");
        var informer = informers.containsKey(ALL) ? informers.get(ALL) : informers.get(namespace);
        return Optional.ofNullable(informer)
                .map(present -> present.getIndexer().getByKey(Cache.namespaceKeyFunc(namespace, id.getName())))
                .map(secret -> secret.getMetadata().getResourceVersion());
    }

    /** From now on the listener is told of each Secret that appears, changes or goes. */
    void listen(Consumer<ResourceID> listener) {
        listeners.add(listener);
    }

    /** Ends what {@link #listen} began. */
    void forget(Consumer<ResourceID> listener) {
        listeners.remove(listener);
    }

    boolean isHealthy() {
        return informers.values().stream().allMatch(informer -> informer.isRunning() && informer.hasSynced());
    }

    /** Everything that is retained, for tests. */
    List<Secret> retained() {
        return informers.values().stream()
                .flatMap(informer -> informer.getIndexer().list().stream())
                .toList();
    }

    @Override
    public void close() {
        closed = true;
        informers.values().forEach(SharedIndexInformer::stop);
        client.close();
    }

    /** An empty list of metadata arrives as {@code items: null}, which the client library does not expect. */
    private static ObjectMapper emptyLists() {
        var mapper = new ObjectMapper();
        mapper.configOverride(List.class).setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY));
        return mapper;
    }

    private SharedIndexInformer<Secret> prepare(SharedIndexInformer<Secret> informer) {
        return informer.itemStore(new TransformingItemStore<>(SecretWatch::bare))
                .removeNamespaceIndex()
                .addEventHandler(new Changes());
    }

    /** Annotations may repeat the values of a Secret, for example the one of {@code kubectl apply}. */
    static Secret bare(Secret secret) {
        var metadata = secret.getMetadata();
        var bare = new Secret();
        bare.setMetadata(new ObjectMetaBuilder()
                .withNamespace(metadata.getNamespace())
                .withName(metadata.getName())
                .withResourceVersion(metadata.getResourceVersion())
                .build());
        return bare;
    }

    private final class Changes implements ResourceEventHandler<Secret> {

        @Override
        public void onAdd(Secret secret) {
            tell(secret);
        }

        @Override
        public void onUpdate(Secret before, Secret after) {
            tell(after);
        }

        @Override
        public void onDelete(Secret secret, boolean missedTheEvent) {
            tell(secret);
        }

        private void tell(Secret secret) {
            var id = ResourceID.fromResource(secret);
            listeners.forEach(listener -> listener.accept(id));
        }
    }

    /** Each request of this client is a list or a watch. */
    private static final class MetadataOnly implements Interceptor {

        @Override
        public void before(BasicBuilder builder, HttpRequest request, @Nullable RequestTags tags) {
            var query = request.uri().getQuery();
            var isWatch = query != null && query.contains("watch=true");
            var form = isWatch ? "PartialObjectMetadata" : "PartialObjectMetadataList";
            builder.setHeader("Accept", "application/json;as=%s;g=meta.k8s.io;v=v1".formatted(form));
        }
    }
}
