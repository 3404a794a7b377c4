package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pure: the agent's environment, all by reference (operator reference, section 3.9). The configuration names these. */
public final class AgentEnvironment {

    public static final String POD_NAME = "RSTREAM_AGENT_POD_NAME";
    public static final String POD_NAMESPACE = "RSTREAM_AGENT_POD_NAMESPACE";
    public static final String PROXY_USERNAME = "RSTREAM_PROXY_USERNAME";
    public static final String PROXY_PASSWORD = "RSTREAM_PROXY_PASSWORD";

    private static final String TOKEN = "RSTREAM_AUTHENTICATION_TOKEN";

    private AgentEnvironment() {}

    static List<EnvVar> of(AgentCredentials credentials) {
        List<EnvVar> environment = new ArrayList<>();
        environment.add(field(POD_NAME, "metadata.name"));
        environment.add(field(POD_NAMESPACE, "metadata.namespace"));
        addSecret(environment, TOKEN, credentials.token());
        addSecret(environment, PROXY_USERNAME, credentials.proxyUsername());
        addSecret(environment, PROXY_PASSWORD, credentials.proxyPassword());
        return environment;
    }

    private static EnvVar field(String name, String path) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef("v1", path)
                .endValueFrom()
                .build();
    }

    private static void addSecret(List<EnvVar> environment, String name, @Nullable SecretKeyRef ref) {
        if (ref != null) {
            environment.add(new EnvVarBuilder()
                    .withName(name)
                    .withNewValueFrom()
                    .withNewSecretKeyRef(ref.key(), ref.name(), null)
                    .endValueFrom()
                    .build());
        }
    }
}
