package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.rstream.api.v1alpha1.WellKnown;

/** Pure: the ConfigMap with the agent's configuration file. */
final class AgentConfigMap {

    /** The one key, and the name of the file. */
    static final String KEY = "config.yaml";

    private AgentConfigMap() {}

    static ConfigMap of(AgentWorkload workload) {
        return new ConfigMapBuilder()
                .withMetadata(workload.metadata(workload.configMapName(), WellKnown.COMPONENT_CONFIG))
                .addToData(KEY, workload.configFile())
                .build();
    }
}
