package io.rstream.engine.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rstream.engine.agents.AgentSession;
import io.rstream.engine.tunnels.Tunnel;
import io.rstream.protocol.ClientDetails;
import io.rstream.protocol.TunnelProperties;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tunnels and clients as the JSON objects of protocol, section 18. Properties that are not set are left out. */
final class Inventory {
    static final Set<String> TUNNEL_FILTERS = Set.of(
            "id",
            "name",
            "type",
            "status",
            "client_id",
            "user_id",
            "protocol",
            "hostname",
            "publish",
            "http_version",
            "labels");
    static final Set<String> CLIENT_FILTERS = Set.of(
            "id", "status", "user_id", "agent", "channel", "version", "os", "arch", "protocol_version", "labels");

    private Inventory() {}

    static ObjectNode tunnel(Tunnel tunnel) {
        TunnelProperties properties = tunnel.properties();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("id", tunnel.id());
        object.put("status", "online");
        object.put("client_id", tunnel.owner().clientId());
        put(object, "user_id", tunnel.owner().user());
        Instant created = properties.creationDate();
        put(object, "creation_date", created == null ? null : created.toString());
        put(object, "name", properties.name());
        put(object, "type", properties.type());
        put(object, "publish", properties.publish());
        put(object, "protocol", properties.protocol());
        ObjectNode labels = object.putObject("labels");
        properties.labels().forEach(labels::put);
        put(object, "geo_ip", properties.geoip());
        put(object, "trusted_ips", properties.trustedIps());
        put(object, "host", properties.host());
        put(object, "hostname", properties.hostname());
        Integer port = properties.port();
        if (port != null) {
            object.put("port", port);
        }
        put(object, "http_version", properties.httpVersion());
        put(object, "http_use_tls", properties.httpUseTls());
        put(object, "upstream_tls", properties.upstreamTls());
        put(object, "token_auth", properties.tokenAuth());
        put(object, "rstream_auth", properties.rstreamAuth());
        put(object, "challenge_mode", properties.challengeMode());
        put(object, "mtls_auth", properties.mtlsAuth());
        put(object, "allow_cross_region_routing", properties.allowCrossRegionRouting());
        return object;
    }

    static ObjectNode client(AgentSession session) {
        ClientDetails details = session.client();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("id", session.clientId());
        object.put("status", "online");
        put(object, "user_id", session.identity().user());
        put(object, "agent", details.agent());
        put(object, "channel", details.channel());
        put(object, "version", details.version());
        put(object, "os", details.operatingSystem());
        put(object, "arch", details.architecture());
        put(object, "protocol_version", details.protocolVersion());
        object.putObject("labels");
        return object;
    }

    private static void put(ObjectNode object, String key, @Nullable String value) {
        if (value != null) {
            object.put(key, value);
        }
    }

    private static void put(ObjectNode object, String key, @Nullable Boolean value) {
        if (value != null) {
            object.put(key, value);
        }
    }

    private static void put(ObjectNode object, String key, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode array = object.putArray(key);
            values.forEach(array::add);
        }
    }
}
