package io.rstream.operator.tunnel;

import java.util.List;

/**
 * What agents get unless their tunnel says something else.
 *
 * @param image image of agents whose tunnel names none
 * @param imagePullSecrets names of Secrets, in each tunnel's namespace, that every agent's pod names beside those of its
 *     tunnel; one that does not exist there does no harm
 */
public record AgentDefaults(String image, List<String> imagePullSecrets) {

    public AgentDefaults {
        imagePullSecrets = List.copyOf(imagePullSecrets);
    }

    /** Defaults without pull Secrets. */
    public static AgentDefaults ofImage(String image) {
        return new AgentDefaults(image, List.of());
    }
}
