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

/** How the agents of a namespace reach rstream; tunnels refer to it by name. Spec and status may be null. */
@Group(WellKnown.GROUP)
@Version(WellKnown.VERSION)
@Kind("RstreamConnection")
@Singular("rstreamconnection")
@Plural("rstreamconnections")
@ShortNames("rconn")
@Categories("rstream")
@JsonDeserialize(using = RstreamConnection.Reader.class)
@JsonClassDescription("RstreamConnection says how the tunnels of a namespace reach rstream: which engine, and with"
        + " which credential.")
@AdditionalPrinterColumn(name = "Project", jsonPath = ".status.projectEndpoint")
@AdditionalPrinterColumn(name = "Engine", jsonPath = ".status.engine")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public final class RstreamConnection extends CustomResource<RstreamConnectionSpec, RstreamConnectionStatus>
        implements Namespaced {

    private final transient UnreadableParts unreadable;

    /** A connection without spec and status. */
    public RstreamConnection() {
        this(new UnreadableParts());
    }

    private RstreamConnection(UnreadableParts unreadable) {
        this.unreadable = unreadable;
    }

    /** The spec, or the empty one of an object that was admitted without. */
    public RstreamConnectionSpec declared() {
        var spec = getSpec();
        return spec == null ? RstreamConnectionSpec.empty() : spec;
    }

    /** The status, or the empty one of an object that nobody has reported on yet. */
    public RstreamConnectionStatus observed() {
        var status = getStatus();
        return status == null ? RstreamConnectionStatus.empty() : status;
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
    public static final class Reader
            extends PartwiseReader<RstreamConnection, RstreamConnectionSpec, RstreamConnectionStatus> {

        public Reader() {
            super(RstreamConnectionSpec.class, RstreamConnectionStatus.class, RstreamConnection::new);
        }
    }
}
