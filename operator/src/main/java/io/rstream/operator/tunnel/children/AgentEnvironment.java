package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.rstream.api.v1alpha1.SecretKeyRef;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pure: the agent's environment. It names files and never holds a credential; for each variable of the configuration the
 * agent looks at {@code <name>_FILE}, too.
 */
public final class AgentEnvironment {

    public static final String POD_NAME = "RSTREAM_AGENT_POD_NAME";
    public static final String POD_NAMESPACE = "RSTREAM_AGENT_POD_NAMESPACE";
    public static final String PROXY_USERNAME = "RSTREAM_PROXY_USERNAME";
    public static final String PROXY_PASSWORD = "RSTREAM_PROXY_PASSWORD";

    private static final String TOKEN = "RSTREAM_AUTHENTICATION_TOKEN";
    private static final String TRUST_FILE = "SSL_CERT_FILE";
    private static final String FILE = "_FILE";

    private AgentEnvironment() {}

    static List<EnvVar> of(AgentCredentials credentials) {
        List<EnvVar> environment = new ArrayList<>();
        environment.add(field(POD_NAME, "metadata.name"));
        environment.add(field(POD_NAMESPACE, "metadata.namespace"));
        addFile(environment, TOKEN + FILE, credentials.token(), CredentialsVolume.TOKEN_FILE);
        addFile(environment, PROXY_USERNAME + FILE, credentials.proxyUsername(), CredentialsVolume.PROXY_USERNAME_FILE);
        addFile(environment, PROXY_PASSWORD + FILE, credentials.proxyPassword(), CredentialsVolume.PROXY_PASSWORD_FILE);
        addFile(environment, TRUST_FILE, credentials.certificateAuthority(), CredentialsVolume.CA_FILE);
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

    private static void addFile(List<EnvVar> environment, String name, @Nullable SecretKeyRef ref, String file) {
        if (ref != null) {
            environment.add(new EnvVarBuilder().withName(name).withValue(file).build());
        }
    }
}
