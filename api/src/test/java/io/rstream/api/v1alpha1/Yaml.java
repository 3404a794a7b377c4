package io.rstream.api.v1alpha1;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/** Reads specs from YAML the way the Kubernetes client does. */
final class Yaml {

    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    private Yaml() {}

    static RstreamTunnelSpec tunnel(String yaml) {
        return SERIALIZATION.unmarshal(yaml, RstreamTunnelSpec.class);
    }

    static RstreamConnectionSpec connection(String yaml) {
        return SERIALIZATION.unmarshal(yaml, RstreamConnectionSpec.class);
    }

    static String json(Object document) {
        return SERIALIZATION.asJson(document);
    }
}
