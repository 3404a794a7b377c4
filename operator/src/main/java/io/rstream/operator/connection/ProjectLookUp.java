package io.rstream.operator.connection;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.SecretKeyRef;
import io.rstream.operator.controlplane.Credentials;
import io.rstream.operator.controlplane.LookUps;
import io.rstream.process.Secret;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Keeps the look-up of a connection's project going: begins one when it is due, with the credentials of that moment. */
final class ProjectLookUp {

    private static final Duration AFTER_LOST_SECRET = Duration.ofSeconds(1);

    private final ConnectionResolver resolver;
    private final LookUps lookUps;
    private final SecretValues values;

    ProjectLookUp(ConnectionResolver resolver, LookUps lookUps, SecretValues values) {
        this.resolver = resolver;
        this.lookUps = lookUps;
        this.values = values;
    }

    /**
     * Begins a look-up if one is due, and does not wait for it.
     *
     * @return when the connection should be passed over again; empty when only a change can make a difference
     */
    Optional<Duration> keepGoing(RstreamConnection connection, Map<String, SecretKeys> secrets) {
        var id = ResourceID.fromResource(connection);
        var target = resolver.lookUpTarget(connection, secrets);
        if (target.isEmpty()) {
            lookUps.forget(id);
            return Optional.empty();
        }
        var versions = versions(connection, secrets);
        if (lookUps.isDue(id, target.get(), versions)) {
            var credentials = credentials(connection);
            if (credentials.isEmpty()) {
                return Optional.of(AFTER_LOST_SECRET); // Gone since the caches were read; they will know in a moment.
            }
            lookUps.begin(id, target.get(), versions, credentials.get());
        }
        return Optional.of(lookUps.untilNext(id));
    }

    void forget(RstreamConnection connection) {
        lookUps.forget(ResourceID.fromResource(connection));
    }

    private static String versions(RstreamConnection connection, Map<String, SecretKeys> secrets) {
        var spec = connection.declared();
        return Stream.concat(Stream.ofNullable(spec.tokenSecretRef()), spec.headerSecretRefs().stream())
                        .distinct()
                        .sorted()
                        .map(ref -> {
                            var secret = secrets.get(ref.name());
                            return ref.name() + "/" + ref.key() + ":"
                                    + (secret == null ? "" : secret.resourceVersion());
                        })
                        .collect(Collectors.joining(","))
                + headerNames(connection);
    }

    private static String headerNames(RstreamConnection connection) {
        return connection.declared().controlPlaneHeaders().stream()
                .map(header -> ";" + header.name().strip() + "=" + header.valueSecretRef())
                .collect(Collectors.joining());
    }

    private Optional<Credentials> credentials(RstreamConnection connection) {
        var spec = connection.declared();
        var namespace = connection.getMetadata().getNamespace();
        var read = new HashMap<SecretKeyRef, Secret>();
        var refs = Stream.concat(Stream.ofNullable(spec.tokenSecretRef()), spec.headerSecretRefs().stream())
                .distinct()
                .toList();
        for (var ref : refs) {
            var value = values.value(namespace, ref);
            if (value.isEmpty()) {
                return Optional.empty();
            }
            read.put(ref, Secret.of(value.get().reveal().strip()));
        }
        var headers = new ArrayList<Credentials.Header>();
        for (var header : spec.controlPlaneHeaders()) {
            var value = read.get(header.valueSecretRef());
            if (value != null) {
                headers.add(new Credentials.Header(header.name().strip(), value));
            }
        }
        return Optional.ofNullable(read.get(spec.tokenSecretRef())).map(token -> new Credentials(token, headers));
    }
}
