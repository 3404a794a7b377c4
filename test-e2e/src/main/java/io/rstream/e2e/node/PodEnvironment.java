package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The environment variables of a container, with what they refer to. */
final class PodEnvironment {

    private final References references;
    private final Pod pod;

    PodEnvironment(References references, Pod pod) {
        this.references = references;
        this.pod = pod;
    }

    Map<String, String> of(Container container) throws NotYetException {
        var variables = new LinkedHashMap<String, String>();
        for (var variable : container.getEnv()) {
            value(variable).ifPresent(value -> variables.put(variable.getName(), value));
        }
        return variables;
    }

    private Optional<String> value(EnvVar variable) throws NotYetException {
        var source = variable.getValueFrom();
        if (source == null) {
            return Optional.of(variable.getValue() == null ? "" : variable.getValue());
        }
        if (source.getFieldRef() != null) {
            return Optional.of(field(source.getFieldRef().getFieldPath()));
        }
        return referenced(source);
    }

    private Optional<String> referenced(EnvVarSource source) throws NotYetException {
        if (source.getSecretKeyRef() != null) {
            var key = source.getSecretKeyRef();
            return chosen("secret", key.getName(), key.getKey(), key.getOptional(), references.secret(key.getName()));
        }
        if (source.getConfigMapKeyRef() != null) {
            var key = source.getConfigMapKeyRef();
            return chosen(
                    "configmap", key.getName(), key.getKey(), key.getOptional(), references.configMap(key.getName()));
        }
        throw NotYetException.environment("the local node does not know this kind of environment variable");
    }

    private Optional<String> chosen(
            String kind, String name, String key, @Nullable Boolean optional, Optional<Map<String, byte[]>> content)
            throws NotYetException {
        var value = content.flatMap(values -> Optional.ofNullable(values.get(key)));
        if (value.isPresent()) {
            return value.map(bytes -> new String(bytes, StandardCharsets.UTF_8));
        }
        if (Boolean.TRUE.equals(optional)) {
            return Optional.empty();
        }
        throw NotYetException.environment(
                content.isEmpty()
                        ? "%s \"%s\" not found".formatted(kind, name)
                        : "couldn't find key %s in %s %s/%s".formatted(key, kind, references.namespace(), name));
    }

    private String field(String path) throws NotYetException {
        var metadata = pod.getMetadata();
        return switch (path) {
            case "metadata.name" -> metadata.getName();
            case "metadata.namespace" -> metadata.getNamespace();
            case "metadata.uid" -> metadata.getUid();
            case "spec.nodeName" -> PodObject.NODE;
            case "spec.serviceAccountName" -> pod.getSpec().getServiceAccountName();
            case "status.podIP", "status.hostIP" -> "127.0.0.1";
            default -> throw NotYetException.environment("the local node does not know the field " + path);
        };
    }
}
