package io.rstream.testcluster;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One request to the API server, in the words of RBAC.
 *
 * @param user for example {@code system:serviceaccount:shop:web}, {@code kubernetes-admin}, or {@code system:anonymous}
 * @param verb {@code get}, {@code list}, {@code watch}, {@code create}, {@code update}, {@code patch}, {@code delete} or {@code
 *     deletecollection}
 * @param apiGroup empty for the core group
 * @param resource plural name; empty for a path that is no resource, such as {@code /version}
 * @param subresource empty when there is none
 * @param namespace empty for cluster-wide requests
 * @param name empty for requests to a collection; the path when there is no resource
 * @param status the HTTP status that was answered; 0 before the answer
 * @param accept the header Accept, which also says whether whole objects are wanted; empty when there is none
 */
public record Call(
        String user,
        String verb,
        String apiGroup,
        String resource,
        String subresource,
        String namespace,
        String name,
        int status,
        String accept) {

    private static final List<String> NAMESPACE_SUBRESOURCES = List.of("status", "finalize");

    /** A call without the header Accept. */
    public Call(
            String user,
            String verb,
            String apiGroup,
            String resource,
            String subresource,
            String namespace,
            String name,
            int status) {
        this(user, verb, apiGroup, resource, subresource, namespace, name, status, "");
    }

    /** Whether the call changes something on the server. */
    public boolean writes() {
        return !List.of("get", "list", "watch").contains(verb);
    }

    Call withStatus(int answered) {
        return new Call(user, verb, apiGroup, resource, subresource, namespace, name, answered, accept);
    }

    Call withAccept(String header) {
        return new Call(user, verb, apiGroup, resource, subresource, namespace, name, status, header);
    }

    /** Reads the request as the API server's own request info resolver does. */
    static Call of(String method, URI uri, String user) {
        var path = uri.getPath();
        var parts =
                Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
        if (parts.size() >= 3 && parts.get(0).equals("api")) {
            return ofResource(method, uri, user, "", parts.subList(2, parts.size()));
        }
        if (parts.size() >= 4 && parts.get(0).equals("apis")) {
            return ofResource(method, uri, user, parts.get(1), parts.subList(3, parts.size()));
        }
        return new Call(user, method.toLowerCase(Locale.ROOT), "", "", "", "", path, 0);
    }

    private static Call ofResource(String method, URI uri, String user, String group, List<String> parts) {
        var namespaced = parts.size() >= 3
                && parts.get(0).equals("namespaces")
                && !(group.isEmpty() && parts.size() == 3 && NAMESPACE_SUBRESOURCES.contains(parts.get(2)));
        var namespace = namespaced ? parts.get(1) : "";
        var rest = namespaced ? parts.subList(2, parts.size()) : parts;
        var name = rest.size() > 1 ? rest.get(1) : "";
        var subresource = rest.size() > 2 ? rest.get(2) : "";
        return new Call(user, verb(method, uri, name), group, rest.get(0), subresource, namespace, name, 0);
    }

    private static String verb(String method, URI uri, String name) {
        var query = uri.getQuery() == null ? "" : uri.getQuery();
        return switch (method) {
            case "GET", "HEAD" -> {
                if (query.contains("watch=true") || query.contains("watch=1")) {
                    yield "watch";
                }
                yield name.isEmpty() ? "list" : "get";
            }
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> name.isEmpty() ? "deletecollection" : "delete";
            default -> method.toLowerCase(Locale.ROOT);
        };
    }
}
