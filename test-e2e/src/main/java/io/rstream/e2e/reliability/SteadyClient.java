package io.rstream.e2e.reliability;

import io.rstream.e2e.install.Trusting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;

/**
 * A public caller that sends 20 requests a second to one HTTP tunnel, each on a connection of its own, and never waits for an
 * answer before it sends the next. A request is lost when its answer is not the expected one or takes longer than 5 s.
 * Thread-safe.
 */
public final class SteadyClient implements AutoCloseable {

    private static final Duration PERIOD = Duration.ofMillis(50);
    private static final int PATIENCE_MILLIS = 5_000;
    private static final int STEADY = 20;
    private static final int FIRST_CALLS = 100;

    private record Request(long sentNanos, boolean answered) {}

    private final SSLContext trust;
    private final URI address;
    private final String expected;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Request> requests = new ArrayList<>(); // Guarded by the lock; in the order of their ends.
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("steady-client").factory());

    private SteadyClient(SSLContext trust, URI address, String expected) {
        this.trust = trust;
        this.address = address;
        this.expected = expected;
    }

    /**
     * Starts calling.
     *
     * @param address the tunnel's public address, on this machine
     * @param caFile the engine's authority, PEM
     * @param expected what the body of each answer holds
     */
    public static SteadyClient start(URI address, Path caFile, String expected)
            throws IOException, GeneralSecurityException {
        var client = new SteadyClient(Trusting.only(caFile), address, expected);
        client.warmUp();
        var _ = client.clock.scheduleAtFixedRate(
                () -> Thread.ofVirtual().start(client::call), 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        return client;
    }

    /** How many requests that were sent since then have ended. */
    public long sent(long sinceNanos) {
        return count(sinceNanos, false);
    }

    /** How many of them were lost. */
    public long lost(long sinceNanos) {
        return count(sinceNanos, true);
    }

    /**
     * Waits until the newest requests were all answered.
     *
     * @return when the first request was sent that was answered after the last loss since then; the given time when none was
     *     lost
     * @throws IllegalStateException when that does not happen in time
     */
    public long awaitSteady(long sinceNanos, Duration limit) throws InterruptedException {
        var left = limit.toNanos();
        lock.lock();
        try {
            while (!steady()) {
                if (left <= 0) {
                    throw new IllegalStateException("requests are still lost after %s".formatted(limit));
                }
                left = changed.awaitNanos(left);
            }
            var lastLoss = requests.stream()
                    .filter(request -> request.sentNanos() >= sinceNanos && !request.answered())
                    .mapToLong(Request::sentNanos)
                    .max();
            return lastLoss.isEmpty()
                    ? sinceNanos
                    : requests.stream()
                            .filter(request -> request.sentNanos() > lastLoss.getAsLong())
                            .mapToLong(Request::sentNanos)
                            .min()
                            .orElse(lastLoss.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }

    /** One call after the other, uncounted: twenty a second are more than cold processes can answer on a busy machine. */
    private void warmUp() {
        for (var call = 0; call < FIRST_CALLS; call++) {
            try {
                answer();
            } catch (IOException notYet) {
                // Only the counted calls have to succeed.
            }
        }
    }

    private boolean steady() {
        return requests.size() >= STEADY
                && requests.subList(requests.size() - STEADY, requests.size()).stream()
                        .allMatch(Request::answered);
    }

    private long count(long sinceNanos, boolean lostOnly) {
        lock.lock();
        try {
            return requests.stream()
                    .filter(request -> request.sentNanos() >= sinceNanos && !(lostOnly && request.answered()))
                    .count();
        } finally {
            lock.unlock();
        }
    }

    private void call() {
        var sent = System.nanoTime();
        boolean answered;
        try {
            answered = answer().contains(expected);
        } catch (IOException lost) {
            answered = false;
        }
        lock.lock();
        try {
            requests.add(new Request(sent, answered));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private String answer() throws IOException {
        try (var plain = new Socket()) {
            plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()), PATIENCE_MILLIS);
            plain.setSoTimeout(PATIENCE_MILLIS);
            try (var socket =
                    trust.getSocketFactory().createSocket(plain, address.getHost(), address.getPort(), true)) {
                var request =
                        "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(address.getAuthority());
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }
}
