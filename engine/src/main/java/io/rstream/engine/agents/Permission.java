package io.rstream.engine.agents;

import java.util.Arrays;
import java.util.Optional;

/** The permissions that this engine knows (protocol, section 9.3). */
public enum Permission {
    /** Open tunnels. */
    CREATE_TUNNELS("tunnels.tunnels.create-delete"),
    /** Dial tunnels. */
    CREATE_STREAMS("tunnels.streams.create-delete"),
    /** Read the inventory. */
    READ_RESOURCES("tunnels.resources.read-only");

    private final String wireName;

    Permission(String wireName) {
        this.wireName = wireName;
    }

    /** The text in tokens and in the configuration. */
    public String wireName() {
        return wireName;
    }

    /** The permission with this name; empty for names of other products. */
    public static Optional<Permission> of(String wireName) {
        return Arrays.stream(values())
                .filter(permission -> permission.wireName.equals(wireName))
                .findFirst();
    }
}
