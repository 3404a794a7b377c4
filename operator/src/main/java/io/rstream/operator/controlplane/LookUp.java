package io.rstream.operator.controlplane;

import io.rstream.operator.controlplane.ProjectAnswers.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * How far one connection's look-up is. Immutable.
 *
 * @param target what is asked
 * @param secretVersions versions of the Secrets that the credentials come from
 * @param digest of the credentials
 * @param since when this question came up
 * @param answer the last answer; null before the first
 * @param failures how many failed for passing reasons in a row
 * @param kind what kind of failure the last one was
 * @param due when to ask again
 * @param number number of the last look-up that was begun
 * @param running the look-up under way
 */
record LookUp(
        LookUpTarget target,
        String secretVersions,
        String digest,
        Instant since,
        @Nullable Answer answer,
        int failures,
        String kind,
        Instant due,
        long number,
        @Nullable Future<?> running) {

    /** As long an unanswered question is not worth a word. */
    private static final Duration MOMENT = Duration.ofSeconds(2);

    /** The state from which a look-up begins: an answer to the same question stays, a failure only with the same credentials. */
    static LookUp next(@Nullable LookUp known, LookUpTarget target, String secretVersions, String digest, Instant now) {
        var keeps = known != null
                && known.target.equals(target)
                && (known.digest.equals(digest) || known.answer instanceof Answer.Found);
        return known == null || !keeps
                ? new LookUp(target, secretVersions, digest, now, null, 0, "", now, 0, null)
                : new LookUp(
                        target,
                        secretVersions,
                        digest,
                        known.since,
                        known.answer,
                        known.failures,
                        known.kind,
                        now,
                        known.number,
                        null);
    }

    boolean isFor(LookUpTarget otherTarget, String otherDigest) {
        return target.equals(otherTarget) && digest.equals(otherDigest);
    }

    boolean isDue(Instant now) {
        return (running == null || running.isDone()) && !now.isBefore(due);
    }

    boolean hasProject() {
        return answer instanceof Answer.Found;
    }

    Answer answer(Instant now) {
        return answer == null ? new Answer.Pending(!now.isBefore(since.plus(MOMENT))) : answer;
    }

    /** When a pass may find something new, if nothing wakes it before. */
    Instant next(Instant now, Duration lostWakeUp) {
        if (running == null) {
            return due;
        }
        var overdue = since.plus(MOMENT);
        return answer == null && now.isBefore(overdue) ? overdue : now.plus(lostWakeUp);
    }

    void cancel() {
        if (running != null) {
            running.cancel(true);
        }
    }

    LookUp withSecretVersions(String versions) {
        return new LookUp(target, versions, digest, since, answer, failures, kind, due, number, running);
    }

    LookUp running(long newNumber, Future<?> future) {
        return new LookUp(target, secretVersions, digest, since, answer, failures, kind, due, newNumber, future);
    }

    LookUp found(Project project, Instant nextDue) {
        return ended(new Answer.Found(project), 0, "", nextDue);
    }

    LookUp refused(LookUpException failure, Instant nextDue) {
        return ended(new Answer.Refused(failure.sentence()), 0, failure.kind(), nextDue);
    }

    /** Failures of one kind in a row keep the first one's words, since a server may put a number into each. */
    LookUp failed(LookUpException failure, Instant nextDue) {
        var keeps = answer instanceof Answer.Found
                || answer instanceof Answer.Refused
                || (answer instanceof Answer.Failed && kind.equals(failure.kind()));
        var next = keeps && answer != null ? answer : new Answer.Failed(failure.sentence());
        return ended(next, failures + 1, failure.kind(), nextDue);
    }

    private LookUp ended(Answer next, int newFailures, String newKind, Instant nextDue) {
        return new LookUp(target, secretVersions, digest, since, next, newFailures, newKind, nextDue, number, null);
    }
}
