package io.rstream.operator.tunnel;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamTunnelSpec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Pure: finds the port of the Service that a tunnel leads to (operator reference, section 3.5).
 *
 * <p>The name of a headless Service stands for its pods, so that the agent dials the target port. Where that is a name,
 * which means what each pod says it means, the Service's own port is dialled, as earlier versions did; if that is not the
 * number behind the name, the tunnel's status says that the target cannot be reached.
 */
sealed interface ServiceTarget {

    /**
     * Where the agent dials.
     *
     * @param host name of the Service in the cluster
     * @param port number of the Service's port, or of the pods' port when the Service is headless
     * @param protocol {@code TCP} or {@code UDP}
     */
    record Found(String host, int port, String protocol) implements ServiceTarget {

        /** {@code host:port}. */
        String address() {
            return host + ":" + port;
        }
    }

    /** There is none. */
    record Missing(Reason reason, String message) implements ServiceTarget {}

    static ServiceTarget find(RstreamTunnelSpec spec, String tunnelNamespace, @Nullable Service service) {
        var wanted = spec.target().service();
        var namespace = spec.serviceNamespace(tunnelNamespace);
        if (service == null) {
            return new Missing(
                    Reason.SERVICE_MISSING,
                    "service \"%s\" was not found in namespace \"%s\"".formatted(wanted.name(), namespace));
        }
        if (service.getSpec() != null && "ExternalName".equals(service.getSpec().getType())) {
            return new Missing(
                    Reason.SERVICE_UNSUPPORTED,
                    "service \"%s\" is of type ExternalName, which only gives another name to a host outside the cluster;"
                                    .formatted(wanted.name())
                            + " use a Service without selector and an EndpointSlice with the host's address.");
        }
        var candidates = ports(service).stream()
                .filter(port -> matches(port, wanted.port()))
                .toList();
        if (candidates.isEmpty()) {
            return new Missing(Reason.SERVICE_PORT_MISSING, notFound(wanted.port()));
        }
        // One number may be open for both protocols (DNS), so the protocol decides before the order does.
        var expected = spec.requiredServiceProtocol();
        return candidates.stream()
                .filter(port -> protocol(port).equals(expected))
                .findFirst()
                .<ServiceTarget>map(
                        port -> new Found(wanted.name() + "." + namespace + ".svc", number(service, port), expected))
                .orElseGet(() -> mismatch(candidates.getFirst(), expected));
    }

    private static int number(Service service, ServicePort port) {
        var target = port.getTargetPort();
        var isHeadless = "None".equals(service.getSpec().getClusterIP());
        return isHeadless && target != null && target.getIntVal() != null && target.getIntVal() > 0
                ? target.getIntVal()
                : port.getPort();
    }

    private static Missing mismatch(ServicePort port, String expected) {
        return new Missing(
                Reason.SERVICE_PORT_MISSING,
                "service port \"%s\" uses %s but tunnel requires %s"
                        .formatted(Objects.requireNonNullElse(port.getName(), ""), protocol(port), expected));
    }

    private static String notFound(IntOrString wanted) {
        return wanted.getStrVal() == null
                ? "service port %d not found".formatted(wanted.getIntVal())
                : "service port \"%s\" not found".formatted(wanted.getStrVal());
    }

    /** A string is a name, also a quoted number; an integer is the Service's port, not the target port. */
    private static boolean matches(ServicePort port, IntOrString wanted) {
        return wanted.getStrVal() == null
                ? Objects.equals(port.getPort(), wanted.getIntVal())
                : wanted.getStrVal().equals(port.getName());
    }

    private static List<ServicePort> ports(Service service) {
        var spec = service.getSpec();
        return spec == null || spec.getPorts() == null ? List.of() : spec.getPorts();
    }

    private static String protocol(ServicePort port) {
        return port.getProtocol() == null || port.getProtocol().isEmpty() ? "TCP" : port.getProtocol();
    }
}
