package io.rstream.operator;

import io.javaoperatorsdk.operator.processing.retry.Retry;
import io.javaoperatorsdk.operator.processing.retry.RetryExecution;
import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Tries again without end: the pause doubles up to a limit, and a quarter of it is left to chance so that objects which
 * failed together do not come back together.
 *
 * @param initial first pause
 * @param maximum longest pause
 * @param random numbers from 0 (inclusive) to 1 (exclusive)
 */
record BackOff(Duration initial, Duration maximum, DoubleSupplier random) implements Retry {

    private static final double JITTER = 0.25;

    @Override
    public RetryExecution initExecution() {
        return new Attempts(this);
    }

    /** Pause after this many failed attempts in a row, counted from 0. */
    private long pauseMillis(int failures) {
        var doublings = Math.min(failures, Long.SIZE - Long.numberOfLeadingZeros(maximum.toMillis()));
        var pause = Math.min(maximum.toMillis(), initial.toMillis() << doublings);
        return Math.round(pause * (1 - JITTER * random.getAsDouble()));
    }

    /** Used by one thread at a time: the framework holds a lock around each call. */
    private static final class Attempts implements RetryExecution {

        private final BackOff backOff;
        private int failures;

        Attempts(BackOff backOff) {
            this.backOff = backOff;
        }

        @Override
        public Optional<Long> nextDelay() {
            return Optional.of(backOff.pauseMillis(failures++));
        }

        @Override
        public int getAttemptCount() {
            return failures;
        }

        @Override
        public boolean isLastAttempt() {
            return false;
        }

        /** Appears in the framework's log lines. */
        @Override
        public String toString() {
            return "attempt " + failures;
        }
    }
}
