package io.rstream.operator.status;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an error whose words change from try to try from causing a write for each: a status that differs from the present
 * one in nothing but words waits until some time after the last write. May be used by several threads.
 */
public final class MessagePace {

    /** Shortest time between two writes that change nothing but words. */
    public static final Duration INTERVAL = Duration.ofSeconds(10);

    private final InstantSource clock;

    /** By UID of the object, in the order of the writes; those of long ago are dropped. Guarded by itself. */
    private final Map<String, Written> written = new LinkedHashMap<>();

    private record Written(Instant at, boolean isHeldBack) {}

    public MessagePace(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Whether new words may be written now. If not, {@link #pause} says when.
     *
     * @param uid UID of the object
     */
    public boolean mayReword(String uid) {
        synchronized (written) {
            var last = recent(uid);
            if (last == null) {
                return true;
            }
            written.put(uid, new Written(last.at(), true));
            return false;
        }
    }

    /** The status of an object is as it should be now; it was written, or need not be. */
    public void settled(String uid, boolean wasWritten) {
        synchronized (written) {
            if (wasWritten) {
                forgetOld();
                written.remove(uid);
                written.put(uid, new Written(clock.instant(), false));
            } else {
                written.computeIfPresent(uid, (_, last) -> new Written(last.at(), false));
            }
        }
    }

    /** How long words that are held back have to wait; empty if none are. */
    public Optional<Duration> pause(String uid) {
        synchronized (written) {
            var last = written.get(uid);
            if (last == null || !last.isHeldBack()) {
                return Optional.empty();
            }
            var rest = Duration.between(clock.instant(), last.at().plus(INTERVAL));
            return Optional.of(rest.isPositive() ? rest : Duration.ofMillis(1));
        }
    }

    private @Nullable Written recent(String uid) {
        var last = written.get(uid);
        return last == null || isOld(last) ? null : last;
    }

    private void forgetOld() {
        var entries = written.values().iterator();
        while (entries.hasNext() && isOld(entries.next())) {
            entries.remove();
        }
    }

    /** A clock that went backwards must not hold words back for longer. */
    private boolean isOld(Written last) {
        var age = Duration.between(last.at(), clock.instant());
        return age.isNegative() || age.compareTo(INTERVAL) >= 0;
    }
}
