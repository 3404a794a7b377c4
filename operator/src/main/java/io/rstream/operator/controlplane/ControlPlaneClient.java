package io.rstream.operator.controlplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a control plane for one project (operator reference, annex A.1): one GET, no redirects, limits on time and size. Blocks
 * its caller, so it belongs on virtual threads. Thread-safe.
 */
public final class ControlPlaneClient implements ProjectSource, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ControlPlaneClient.class);

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LARGEST_BODY = 1 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http;
    private final ProxySettings proxies;
    private final Duration limit;

    private ControlPlaneClient(HttpClient http, ProxySettings proxies, Duration limit) {
        this.http = http;
        this.proxies = proxies;
        this.limit = limit;
    }

    /**
     * A client.
     *
     * @param proxies how to get out
     * @param trust which servers to trust
     * @param threads on which requests are worked on; virtual ones
     */
    public static ControlPlaneClient create(ProxySettings proxies, SSLContext trust, Executor threads) {
        return create(proxies, trust, threads, LIMIT);
    }

    static ControlPlaneClient create(ProxySettings proxies, SSLContext trust, Executor threads, Duration limit) {
        var http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(proxies.selector())
                .sslContext(trust)
                .connectTimeout(limit)
                .executor(threads)
                .build();
        return new ControlPlaneClient(http, proxies, limit);
    }

    @Override
    public Project lookUp(LookUpTarget target, Credentials credentials) throws LookUpException, InterruptedException {
        var objection = credentials.objection();
        if (objection.isPresent()) {
            throw new LookUpException("credentials", true, objection.get());
        }
        var request = HttpRequest.newBuilder(target.uri())
                .GET()
                .setHeader("Accept", "application/json")
                .setHeader("User-Agent", "rstream-operator")
                .setHeader("Authorization", "Bearer " + credentials.token().reveal());
        credentials
                .headers()
                .forEach(header ->
                        request.setHeader(header.name(), header.value().reveal()));
        proxies.authorizationFor(target.uri())
                .ifPresent(value -> request.setHeader("Proxy-Authorization", value.reveal()));
        return project(target, credentials, send(target, request.build()));
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    /** The limit holds for the whole exchange; the client's own would end with the head of the answer. */
    private HttpResponse<byte[]> send(LookUpTarget target, HttpRequest request)
            throws LookUpException, InterruptedException {
        var exchange = http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST_BODY));
        try {
            return exchange.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | InterruptedException given) {
            exchange.cancel(true);
            if (given instanceof InterruptedException interrupted) {
                throw interrupted;
            }
            throw unanswered(target);
        } catch (ExecutionException failed) {
            log.atDebug()
                    .setCause(failed.getCause())
                    .addKeyValue("controlPlane", target.apiUrl())
                    .log("A look-up failed");
            throw failure(target, failed.getCause() == null ? failed : failed.getCause());
        }
    }

    private LookUpException unanswered(LookUpTarget target) {
        return failure(
                target, "timeout", "no answer from %s within %d s".formatted(target.authority(), limit.toSeconds()));
    }

    /** Only texts that are the same each time: what the JDK says may quote addresses and ports. */
    private LookUpException failure(LookUpTarget target, Throwable cause) {
        var server = target.authority();
        return switch (cause) {
            case HttpTimeoutException _ -> unanswered(target);
            case ConnectException _
            when hasCause(cause, UnresolvedAddressException.class) ->
                failure(
                        target,
                        "dns",
                        "the host name of %s is not known; check apiURL, proxy and DNS".formatted(server));
            case ConnectException _ ->
                failure(target, "connect", "%s cannot be reached; check apiURL and proxy".formatted(server));
            case SSLException _ ->
                failure(
                        target,
                        "tls",
                        ("no trusted TLS connection to %s; check its certificate, and give a private authority to the"
                                        + " operator with --control-plane-ca-file")
                                .formatted(server));
            case IOException _
            when String.valueOf(cause.getMessage()).contains("Tunnel failed") ->
                failure(
                        target,
                        "proxy",
                        "the proxy refuses the way to %s; check the operator's proxy settings".formatted(server));
            case IOException _ ->
                failure(
                        target,
                        "connection",
                        "the connection to %s broke, or its answer is too long".formatted(server));
            default ->
                failure(
                        target,
                        "unexpected",
                        "the request to %s failed unexpectedly (%s)"
                                .formatted(server, cause.getClass().getSimpleName()));
        };
    }

    private static LookUpException failure(LookUpTarget target, String kind, String cause) {
        return new LookUpException(kind, false, "resolve " + target.selector().wording() + ": " + cause);
    }

    private static Project project(LookUpTarget target, Credentials credentials, HttpResponse<byte[]> response)
            throws LookUpException {
        var status = response.statusCode();
        var answer = json(response.body());
        if (status / 100 != 2) {
            var refusal = RefusedAnswer.of(status, answer, credentials);
            throw new LookUpException(
                    "status " + status,
                    refusal.permanent(),
                    "resolve " + target.selector().wording() + ": " + refusal.message());
        }
        if (!answer.isObject()) {
            throw failure(
                    target, "form", "%s did not answer with a project; check apiURL".formatted(target.authority()));
        }
        return Project.of(answer);
    }

    private static JsonNode json(byte[] body) {
        try {
            return JSON.readTree(new String(body, StandardCharsets.UTF_8));
        } catch (JsonProcessingException notJson) {
            return JSON.missingNode();
        }
    }

    private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
