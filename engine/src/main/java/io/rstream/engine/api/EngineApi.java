package io.rstream.engine.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.rstream.engine.agents.AgentSession;
import io.rstream.engine.agents.AuthenticationOutcome;
import io.rstream.engine.agents.Authenticator;
import io.rstream.engine.agents.Identity;
import io.rstream.engine.agents.Permission;
import io.rstream.engine.agents.Sessions;
import io.rstream.engine.api.ListQuery.QueryException;
import io.rstream.engine.tunnels.Registry;
import io.rstream.engine.tunnels.Tunnel;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/auth}, {@code /api/clients}, {@code /api/tunnels} and {@code /api/tunnels/{id}} (protocol, section 18), and what a
 * control plane says about the engine's own {@link Project} (section 19.1). Answers from memory, so it may run on an event
 * loop. Thread-safe.
 */
public final class EngineApi {
    private static final String TUNNEL_PREFIX = "/api/tunnels/";
    private static final String BEARER = "bearer ";
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final Authenticator authenticator;
    private final Registry registry;
    private final Sessions sessions;
    private final Project project;

    /** Answers about these tunnels and sessions, and this project. */
    public EngineApi(Authenticator authenticator, Registry registry, Sessions sessions, Project project) {
        this.authenticator = authenticator;
        this.registry = registry;
        this.sessions = sessions;
        this.project = project;
    }

    /** The answer to a request for the engine's own host; its body, if any, does not matter. */
    public FullHttpResponse answer(HttpRequest request) {
        QueryStringDecoder target;
        String path;
        try {
            target = new QueryStringDecoder(request.uri());
            path = target.path();
        } catch (IllegalArgumentException malformed) {
            return text(HttpResponseStatus.BAD_REQUEST, "The request target is malformed.");
        }
        boolean known = Project.isAskedForBy(path)
                || Set.of("/api/auth", "/api/clients", "/api/tunnels").contains(path)
                || (path.startsWith(TUNNEL_PREFIX) && path.length() > TUNNEL_PREFIX.length());
        if (!known) {
            return text(HttpResponseStatus.NOT_FOUND, "The engine has nothing under this path.");
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            FullHttpResponse response =
                    problem(path, HttpResponseStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are possible.");
            response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
            return response;
        }
        return switch (authenticator.authenticate(token(request), null)) {
            case AuthenticationOutcome.Denied denied -> unauthorized(path, denied.reason());
            case AuthenticationOutcome.Admitted admitted -> answer(admitted.identity(), path, target);
        };
    }

    private FullHttpResponse answer(Identity identity, String path, QueryStringDecoder target) {
        if (path.equals("/api/auth")) {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            body.put("authenticated", true);
            return json(body);
        }
        if (Project.isAskedForBy(path)) {
            return project(identity, path);
        }
        if (!identity.may(Permission.READ_RESOURCES)) {
            return text(HttpResponseStatus.FORBIDDEN, "The token does not allow to read resources.");
        }
        try {
            return switch (path) {
                case "/api/clients" ->
                    json(query(target, Inventory.CLIENT_FILTERS).select(clients()));
                case "/api/tunnels" ->
                    json(query(target, Inventory.TUNNEL_FILTERS).select(tunnels()));
                default -> tunnel(path.substring(TUNNEL_PREFIX.length()));
            };
        } catch (QueryException malformed) {
            return text(HttpResponseStatus.BAD_REQUEST, String.valueOf(malformed.getMessage()));
        }
    }

    /** Whoever may do anything here may know where the engine is: agents and dialers ask before they connect. */
    private FullHttpResponse project(Identity identity, String path) {
        if (identity.permissions().isEmpty()) {
            return problem(path, HttpResponseStatus.FORBIDDEN, "The token has no permission that this engine knows.");
        }
        return project.isFoundUnder(path)
                ? json(project.describe())
                : problem(path, HttpResponseStatus.NOT_FOUND, "The engine has no project of this endpoint or ID.");
    }

    private FullHttpResponse tunnel(String id) {
        return registry.findById(id)
                .map(tunnel -> json(Inventory.tunnel(tunnel)))
                .orElseGet(() -> text(HttpResponseStatus.NOT_FOUND, "No tunnel with this id is online."));
    }

    private List<ObjectNode> tunnels() {
        return registry.tunnels().stream()
                .filter(Tunnel::online)
                .sorted(Comparator.comparing(Tunnel::id))
                .map(Inventory::tunnel)
                .toList();
    }

    private List<ObjectNode> clients() {
        return sessions.all().stream()
                .sorted(Comparator.comparing(AgentSession::clientId))
                .map(Inventory::client)
                .toList();
    }

    private static ListQuery query(QueryStringDecoder target, Set<String> keys) throws QueryException {
        List<String> params;
        try {
            params = target.parameters().getOrDefault("params", List.of());
        } catch (IllegalArgumentException malformed) {
            throw new QueryException("The query is not percent-encoded in the right way.");
        }
        return params.isEmpty() ? ListQuery.ALL : ListQuery.parse(params.getFirst(), keys);
    }

    private static @Nullable String token(HttpRequest request) {
        String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (authorization == null || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return null;
        }
        return authorization.substring(BEARER.length()).strip();
    }

    private static FullHttpResponse unauthorized(String path, String reason) {
        FullHttpResponse response = problem(path, HttpResponseStatus.UNAUTHORIZED, reason);
        response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        return response;
    }

    /** In the form that clients of the path expect: a control plane's errors are JSON (protocol, section 19.1). */
    private static FullHttpResponse problem(String path, HttpResponseStatus status, String sentence) {
        return Project.isAskedForBy(path)
                ? response(
                        status,
                        JSON,
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("error", sentence)
                                .toString())
                : text(status, sentence);
    }

    private static FullHttpResponse json(JsonNode body) {
        return response(HttpResponseStatus.OK, JSON, body.toString());
    }

    private static FullHttpResponse text(HttpResponseStatus status, String sentence) {
        return response(status, TEXT, sentence + "\n");
    }

    private static FullHttpResponse response(HttpResponseStatus status, String type, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(bytes));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CONTENT_LENGTH, bytes.length)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        return response;
    }
}
