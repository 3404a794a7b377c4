package io.rstream.e2e.node;

import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;

/**
 * One HTTP probe of a container, with the kubelet's thresholds. Until the first success it asks more often than declared, so that a
 * start is not rounded up to the period.
 */
final class HttpProbe {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Duration IMPATIENT = Duration.ofMillis(200);

    private final Probe probe;
    private final URI uri;
    private boolean passing;
    private boolean succeededOnce;
    private int failuresInARow;
    private Instant next;

    /** @param passing what counts before the first answer: false for readiness, true for liveness */
    HttpProbe(Probe probe, int port, Instant started, boolean passing) {
        this.probe = probe;
        this.uri = URI.create("http://127.0.0.1:" + port + probe.getHttpGet().getPath());
        this.passing = passing;
        this.next = started.plusSeconds(orElse(probe.getInitialDelaySeconds(), 0));
    }

    /** Asks when it is time to, and says whether the probe passes. */
    boolean step(Instant now) {
        if (now.isBefore(next)) {
            return passing;
        }
        if (succeeds()) {
            failuresInARow = 0;
            succeededOnce = true;
            passing = true;
        } else {
            failuresInARow++;
            if (failuresInARow >= orElse(probe.getFailureThreshold(), 3)) {
                passing = false;
            }
        }
        next = now.plus(succeededOnce || passing ? period() : IMPATIENT);
        return passing;
    }

    private Duration period() {
        return Duration.ofSeconds(orElse(probe.getPeriodSeconds(), 10));
    }

    private boolean succeeds() {
        var request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(orElse(probe.getTimeoutSeconds(), 1)))
                .build();
        try {
            var status =
                    CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status >= 200 && status < 400;
        } catch (IOException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static int orElse(Integer value, int otherwise) {
        return value == null ? otherwise : value;
    }
}
