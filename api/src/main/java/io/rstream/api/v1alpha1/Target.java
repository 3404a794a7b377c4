package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import org.jspecify.annotations.Nullable;

/**
 * What a tunnel leads to.
 *
 * @param service the Service
 */
@Document
public record Target(
        @JsonPropertyDescription("Service that the tunnel leads to.") @Required
        Service service) {

    /**
     * A port of a Service.
     *
     * @param name name of the Service
     * @param namespace its namespace; absent means the tunnel's
     * @param port name or number of the Service's port
     */
    @Document
    public record Service(
            @JsonPropertyDescription("Name of the Service.") @Required @Size(min = 1)
            String name,

            @JsonPropertyDescription("Namespace of the Service. Absent means the namespace of the tunnel.") @Nullable
            String namespace,

            @JsonPropertyDescription(
                    "Port of the Service: its name as a string or its number. A quoted number is a" + " name.")
            @Required
            @ValidationRule(
                    value = "type(self) == string || (self >= 1 && self <= 65535)",
                    message = TunnelRules.SERVICE_PORT)
            IntOrString port) {}
}
