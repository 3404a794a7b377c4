package io.rstream.engine.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.function.IntSupplier;

/**
 * The one project that an engine has, in the form in which a control plane describes projects (protocol, section 19.1), so that
 * clients which know a project endpoint only find the engine without an account anywhere. The endpoint is the first label of
 * the engine's host name and the domain the rest; the ID is the host name.
 */
public final class Project {
    static final String PREFIX = "/api/projects/tunnels/";
    private static final String BY_ENDPOINT = PREFIX + "resolve/";

    private final String host;
    private final String endpoint;
    private final String domain;
    private final IntSupplier port;

    /**
     * The project of an engine.
     *
     * @param host the engine's host name, lower case
     * @param port the port that clients see
     */
    public Project(String host, IntSupplier port) {
        int dot = host.indexOf('.');
        this.host = host;
        this.endpoint = dot < 0 ? host : host.substring(0, dot);
        this.domain = dot < 0 ? "" : host.substring(dot + 1);
        this.port = port;
    }

    /** Whether a path asks for a project. */
    static boolean isAskedForBy(String path) {
        return path.startsWith(PREFIX) && path.length() > PREFIX.length();
    }

    /** Whether such a path asks for this project. */
    boolean isFoundUnder(String path) {
        String asked = path.toLowerCase(Locale.ROOT);
        return asked.equals(BY_ENDPOINT + endpoint) || asked.equals(PREFIX + host);
    }

    /** A host name of one label has no domain; {@code url} then says where the engine is. */
    ObjectNode describe() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("id", host);
        object.put("name", endpoint);
        object.put("endpoint", endpoint);
        if (!domain.isEmpty()) {
            object.put("domain", domain);
        }
        object.put("enginePort", port.getAsInt());
        object.put("url", host + ":" + port.getAsInt());
        object.put("status", "active");
        object.put("routing", "regional");
        object.put("placement", "regional");
        object.putArray("regionalEndpoints");
        return object;
    }
}
