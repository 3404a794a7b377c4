package io.rstream.engine.tunnels;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Names, host names and ports that are kept for a principal whose session was lost, until it is back or the time is over.
 * Bounded for each principal and altogether; beyond that nothing more is kept. Not thread-safe: the registry's lock guards it.
 */
public final class Reservations {
    static final int MOST_PER_PRINCIPAL = 1_000;
    static final int MOST = 20_000;

    private final long durationNanos;
    private final LongSupplier nanoTime;
    /** All last equally long, so the order of entry is the order of expiry. */
    private final Map<Key, Reservation> reservations = new LinkedHashMap<>();

    private final Map<String, Integer> countByPrincipal = new HashMap<>();

    private record Key(Claim.Kind kind, Object value) {}

    private record Reservation(String principal, long sinceNanos) {}

    /**
     * Starts empty.
     *
     * @param duration how long something is kept
     * @param nanoTime the time on the scale of {@link System#nanoTime()}
     */
    public Reservations(Duration duration, LongSupplier nanoTime) {
        this.durationNanos = duration.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Keeps something for a principal. */
    void begin(Claim.Kind kind, Object value, String principal) {
        expire();
        end(kind, value);
        int count = countByPrincipal.getOrDefault(principal, 0);
        if (count < MOST_PER_PRINCIPAL && reservations.size() < MOST) {
            reservations.put(new Key(kind, value), new Reservation(principal, nanoTime.getAsLong()));
            countByPrincipal.put(principal, count + 1);
        }
    }

    /** Whether something is kept for another principal than this one. */
    boolean bars(Claim.Kind kind, Object value, String principal) {
        expire();
        Reservation reservation = reservations.get(new Key(kind, value));
        return reservation != null && !reservation.principal().equals(principal);
    }

    /** Keeps something no longer. */
    void end(Claim.Kind kind, Object value) {
        Reservation reservation = reservations.remove(new Key(kind, value));
        if (reservation != null) {
            countOut(reservation.principal());
        }
    }

    private void expire() {
        long now = nanoTime.getAsLong();
        Iterator<Reservation> eldest = reservations.values().iterator();
        while (eldest.hasNext()) {
            Reservation reservation = eldest.next();
            if (now - reservation.sinceNanos() < durationNanos) {
                return;
            }
            eldest.remove();
            countOut(reservation.principal());
        }
    }

    private void countOut(String principal) {
        countByPrincipal.computeIfPresent(principal, (_, count) -> count == 1 ? null : count - 1);
    }
}
