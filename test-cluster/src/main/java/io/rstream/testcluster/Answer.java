package io.rstream.testcluster;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** An answer that {@link FaultyApi} gives in place of the API server, a limited number of times. */
final class Answer {

    private final Predicate<Call> which;
    private final int status;
    private final AtomicInteger left;

    Answer(Predicate<Call> which, int status, int times) {
        this.which = which;
        this.status = status;
        this.left = new AtomicInteger(times);
    }

    int status() {
        return status;
    }

    /** Whether this answer is for the call; uses up one of the times when it is. */
    boolean takes(Call call) {
        return which.test(call) && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
    }

    void write(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        var body = """
                {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"answered by FaultyApi",\
                "reason":"%s","code":%d}""".formatted(reason(), status).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        if (status == 429) {
            exchange.getResponseHeaders().set("Retry-After", "1");
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    private String reason() {
        return switch (status) {
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 409 -> "Conflict";
            case 410 -> "Expired";
            case 429 -> "TooManyRequests";
            case 503 -> "ServiceUnavailable";
            default -> "InternalError";
        };
    }
}
