package io.rstream.engine.agents;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who somebody is and what they may do.
 *
 * @param principal stable name of whoever holds the credential; the same principal may take its tunnels over
 * @param user what inventories show, or null
 * @param permissions what is allowed
 */
public record Identity(String principal, @Nullable String user, Set<Permission> permissions) {
    /** Copies the set. */
    public Identity {
        permissions = Set.copyOf(permissions);
    }

    /** Whether this is allowed. */
    public boolean may(Permission permission) {
        return permissions.contains(permission);
    }

    /** All permissions when nothing is said, else those of the list that this engine knows. */
    static Set<Permission> permissions(@Nullable Collection<String> names) {
        if (names == null) {
            return EnumSet.allOf(Permission.class);
        }
        return names.stream().flatMap(name -> Permission.of(name).stream()).collect(Collectors.toUnmodifiableSet());
    }
}
