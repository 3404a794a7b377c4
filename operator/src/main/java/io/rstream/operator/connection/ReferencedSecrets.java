package io.rstream.operator.connection;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.SecretKeyRef;
import io.rstream.process.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the operator knows of Secrets, shared by all reconcilers. One watch says which Secrets exist and when they change,
 * without their content. The few that connections refer to are read when a pass needs them and their version is new; of
 * those the names of the keys are kept. A value is read for the moment of its use only. Safe for use by several threads.
 */
public final class ReferencedSecrets implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private final SecretWatch watch;
    private final KubernetesClient client;
    private final Map<ResourceID, SecretKeys> known = new ConcurrentHashMap<>();

    private ReferencedSecrets(SecretWatch watch, KubernetesClient client) {
        this.watch = watch;
        this.client = client;
    }

    /**
     * Starts the watch and returns when it is filled.
     *
     * @param kubernetes how to reach the API server
     * @param client reads single Secrets; stays the caller's
     * @param namespaces where Secrets are watched; empty means everywhere
     * @param onStopped called when the watch ended for good, with its cause
     * @throws IllegalStateException when Secrets cannot be listed
     */
    public static ReferencedSecrets start(
            Config kubernetes, KubernetesClient client, Set<String> namespaces, Consumer<Throwable> onStopped) {
        var watch = new SecretWatch(kubernetes, namespaces);
        var secrets = new ReferencedSecrets(watch, client);
        // A changed or deleted Secret is read again by whoever still refers to it.
        watch.listen(secrets.known::remove);
        try {
            watch.start(START_LIMIT, onStopped);
        } catch (IllegalStateException failure) {
            watch.close();
            throw failure;
        }
        return secrets;
    }

    /**
     * Those Secrets that a connection refers to and that exist, by name.
     *
     * @throws KubernetesClientException when one cannot be read; worth another try
     */
    public Map<String, SecretKeys> of(RstreamConnection connection) {
        var namespace = connection.getMetadata().getNamespace();
        return connection.declared().secretRefs().stream()
                .map(SecretKeyRef::name)
                .distinct()
                .flatMap(name -> find(new ResourceID(name, namespace)).stream())
                .collect(Collectors.toMap(SecretKeys::name, secret -> secret));
    }

    /**
     * Reads a value, without keeping it. Empty when Secret or key do not exist.
     *
     * @param namespace namespace of the Secret
     * @throws KubernetesClientException when it cannot be read; worth another try
     */
    public Optional<Secret> value(String namespace, SecretKeyRef ref) {
        return read(new ResourceID(ref.name(), namespace))
                .flatMap(secret -> Optional.ofNullable(secret.getData()))
                .flatMap(data -> Optional.ofNullable(data.get(ref.key())))
                .map(text -> Secret.of(new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8)));
    }

    /** The Secrets that a connection refers to, as keys of an index: see {@link #key}. */
    public static List<String> keys(RstreamConnection connection) {
        var namespace = connection.getMetadata().getNamespace();
        return connection.declared().secretRefs().stream()
                .map(ref -> key(new ResourceID(ref.name(), namespace)))
                .distinct()
                .toList();
    }

    /** {@code namespace/name} of a Secret. */
    public static String key(ResourceID secret) {
        return secret.getNamespace().orElse("") + "/" + secret.getName();
    }

    /**
     * Wakes those that refer to a Secret when it appears, changes or goes.
     *
     * @param kind what to wake
     * @param referrers takes a Secret to those that refer to it
     */
    public <P extends HasMetadata> EventSource<io.fabric8.kubernetes.api.model.Secret, P> events(
            Class<P> kind, Function<ResourceID, Set<ResourceID>> referrers) {
        return new SecretEvents<P>(watch, kind.getSimpleName(), referrers);
    }

    @Override
    public void close() {
        watch.close();
    }

    private Optional<SecretKeys> find(ResourceID id) {
        var version = watch.version(id);
        if (version.isEmpty()) {
            return Optional.empty();
        }
        var present = known.get(id);
        if (present != null && present.resourceVersion().equals(version.get())) {
            return Optional.of(present);
        }
        var found = read(id).map(SecretKeys::of);
        found.ifPresent(keys -> known.put(id, keys));
        return found;
    }

    private Optional<io.fabric8.kubernetes.api.model.Secret> read(ResourceID id) {
        return Optional.ofNullable(client.secrets()
                .inNamespace(id.getNamespace().orElseThrow())
                .withName(id.getName())
                .get());
    }
}
