package io.rstream.e2e.changes;

import io.rstream.e2e.install.Trusting;
import io.rstream.e2e.traffic.RawCaller;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Callers that send a steady 200 requests a second to one HTTP tunnel: 100 on new connections, 50 on connections of HTTP/1.1 that
 * are kept, 50 on a connection of HTTP/2. Nothing is ever sent a second time: the HTTP/1.1 callers write bytes, and what goes by
 * the JDK's client is a POST, which it does not repeat.
 */
final class SteadyCallers implements AutoCloseable {
    private static final int PERIOD_MILLIS = 5;
    /** So many wait for answers at most, so that a machine that is too slow for the rate is not drowned in handshakes. */
    private static final int MOST_UNDER_WAY = 100;

    private static final int KEPT = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /**
     * What became of all requests.
     *
     * @param count how many were sent
     * @param rate how many that is for each second
     * @param failures one sentence for each that did not get the right answer
     * @param p99 time to the end of the answer
     * @param longestGap between the ends of two right answers
     */
    record Result(int count, double rate, List<String> failures, Duration p99, Duration longestGap) {
        String describe() {
            return "%d requests at %.0f a second, %d failed, p99 %d ms, longest gap between answers %d ms"
                    .formatted(count, rate, failures.size(), p99.toMillis(), longestGap.toMillis());
        }
    }

    private final String host;
    private final int port;
    private final SSLContext trust;
    private final HttpClient http2;
    private final BlockingQueue<RawCaller> kept = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Semaphore places = new Semaphore(MOST_UNDER_WAY);
    private final AtomicInteger sent = new AtomicInteger();
    private final long begunNanos = System.nanoTime();
    private final ConcurrentLinkedQueue<Long> tookNanos = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> endedNanos = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

    private SteadyCallers(String host, int port, SSLContext trust) throws IOException {
        this.host = host;
        this.port = port;
        this.trust = trust;
        this.http2 = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(trust)
                .connectTimeout(PATIENCE)
                .build();
        for (int i = 0; i < KEPT; i++) {
            kept.add(connect());
        }
    }

    /** Begins to call; the service must answer with the target of the request. */
    static SteadyCallers start(URI address, Path caFile) throws IOException, GeneralSecurityException {
        var callers = new SteadyCallers(address.getHost(), address.getPort(), Trusting.only(caFile));
        var _ = callers.clock.scheduleAtFixedRate(callers::next, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        return callers;
    }

    /** How many requests were answered rightly until now. */
    int answered() {
        return tookNanos.size();
    }

    /** The first failures until now. */
    List<String> firstFailures() {
        return failures.stream().limit(5).toList();
    }

    /** Stops calling, waits for the answers that are due and says how it went. */
    Result finish() throws InterruptedException {
        clock.shutdown();
        double seconds = (System.nanoTime() - begunNanos) / 1e9;
        threads.shutdown();
        if (!threads.awaitTermination(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS)) {
            failures.add("requests hang");
        }
        var took = tookNanos.stream().mapToLong(Long::longValue).sorted().toArray();
        var ended = endedNanos.stream().mapToLong(Long::longValue).sorted().toArray();
        var longestGap = LongStream.range(1, ended.length)
                .map(i -> ended[(int) i] - ended[(int) i - 1])
                .max()
                .orElse(0);
        return new Result(
                sent.get(),
                sent.get() / seconds,
                List.copyOf(failures),
                Duration.ofNanos(took.length == 0 ? 0 : took[(int) (took.length * 0.99)]),
                Duration.ofNanos(longestGap));
    }

    @Override
    public void close() throws IOException {
        clock.shutdownNow();
        threads.shutdownNow();
        http2.shutdownNow();
        for (var caller : new ArrayList<>(kept)) {
            caller.close();
        }
    }

    private void next() {
        if (places.tryAcquire()) {
            int number = sent.getAndIncrement();
            threads.execute(() -> {
                call(number);
                places.release();
            });
        }
    }

    private void call(int number) {
        var target = "/steady/" + number;
        long begun = System.nanoTime();
        String problem;
        try {
            problem = switch (number % 4) {
                case 1 -> onKeptConnection(target);
                case 3 -> byHttp2(target);
                default -> onNewConnection(target);
            };
        } catch (Exception e) { // Whatever it is, it is a request without an answer.
            problem = e.toString();
        }
        long ended = System.nanoTime();
        if (problem == null) {
            tookNanos.add(ended - begun);
            endedNanos.add(ended);
        } else {
            failures.add("request %d, after %d ms: %s".formatted(number, (ended - begun) / 1_000_000, problem));
        }
    }

    private @Nullable String onNewConnection(String target) throws IOException {
        try (var caller = connect()) {
            return ask(caller, target, "Connection: close\r\n");
        }
    }

    private @Nullable String onKeptConnection(String target) throws IOException, InterruptedException {
        var caller = kept.take();
        boolean good = false;
        try {
            var problem = ask(caller, target, "");
            good = problem == null;
            return problem;
        } finally {
            if (!good) {
                caller.close();
            }
            kept.add(good ? caller : connect());
        }
    }

    private @Nullable String ask(RawCaller caller, String target, String field) throws IOException {
        caller.send("GET %s HTTP/1.1\r\nHost: %s:%d\r\n%s\r\n".formatted(target, host, port, field));
        var answer = caller.readAnswer();
        return judge(target, answer.status(), answer.body());
    }

    private @Nullable String byHttp2(String target) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("https://%s:%d%s".formatted(host, port, target)))
                .timeout(PATIENCE)
                .POST(BodyPublishers.ofString("x"))
                .build();
        var answer = http2.send(request, BodyHandlers.ofString());
        if (answer.version() != HttpClient.Version.HTTP_2) {
            return "answered by " + answer.version();
        }
        return judge(target, answer.statusCode(), answer.body());
    }

    private RawCaller connect() throws IOException {
        return RawCaller.tls(port, trust, host);
    }

    private static @Nullable String judge(String target, int status, String body) {
        return status == 200 && body.equals(target) ? null : status + " " + body.strip();
    }
}
