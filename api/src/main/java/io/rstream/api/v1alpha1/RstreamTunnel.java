package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Map;
import java.util.Optional;

/** A Service that is reachable through rstream. Spec and status may be null. */
@Group(WellKnown.GROUP)
@Version(WellKnown.VERSION)
@Kind("RstreamTunnel")
@Singular("rstreamtunnel")
@Plural("rstreamtunnels")
@ShortNames({"tunnel", "rtun", "rtunnel"})
@Categories("rstream")
@JsonDeserialize(using = RstreamTunnel.Reader.class)
@JsonClassDescription("RstreamTunnel makes a Service reachable through rstream.")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@AdditionalPrinterColumn(name = "Protocol", jsonPath = ".spec.protocol")
@AdditionalPrinterColumn(name = "Target", jsonPath = ".status.target")
@AdditionalPrinterColumn(name = "Address", jsonPath = ".status.forwardingAddress")
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public final class RstreamTunnel extends CustomResource<RstreamTunnelSpec, RstreamTunnelStatus> implements Namespaced {

    private final transient UnreadableParts unreadable;

    /** A tunnel without spec and status. */
    public RstreamTunnel() {
        this(new UnreadableParts());
    }

    private RstreamTunnel(UnreadableParts unreadable) {
        this.unreadable = unreadable;
    }

    /** The status, or the empty one of an object that nobody has reported on yet. */
    public RstreamTunnelStatus observed() {
        var status = getStatus();
        return status == null ? RstreamTunnelStatus.empty() : status;
    }

    /** Why the spec could not be read; empty when it was read or is absent. An unreadable spec reads as null. */
    public Optional<Violation> unreadableSpec() {
        return unreadable.violation("spec");
    }

    @JsonAnyGetter
    Map<String, JsonNode> unreadableParts() {
        return unreadable.contents();
    }

    /** Reads the kind; public for Jackson. */
    public static final class Reader extends PartwiseReader<RstreamTunnel, RstreamTunnelSpec, RstreamTunnelStatus> {

        public Reader() {
            super(RstreamTunnelSpec.class, RstreamTunnelStatus.class, RstreamTunnel::new);
        }
    }
}
