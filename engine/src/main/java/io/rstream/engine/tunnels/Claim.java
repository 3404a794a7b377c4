package io.rstream.engine.tunnels;

import java.util.Set;

/**
 * What became of a tunnel's claim on its names and its port.
 *
 * @param taken what the tunnel cannot have; empty means that everything is reserved for it
 * @param holders the tunnels that have it and do not share it
 * @param kept whether any of it waits for another principal to come back
 */
public record Claim(Set<Kind> taken, Set<Tunnel> holders, boolean kept) {
    /** What belongs to one tunnel at a time, be it that several sessions serve this tunnel. */
    public enum Kind {
        /** Name for dialing. */
        NAME,
        /** Host name of a published HTTP tunnel. */
        HOSTNAME,
        /** Port of a published TCP tunnel. */
        PORT
    }

    /** Copies the sets. */
    public Claim {
        taken = Set.copyOf(taken);
        holders = Set.copyOf(holders);
    }

    /** Whether the tunnel has everything that it wants. */
    public boolean granted() {
        return taken.isEmpty();
    }
}
