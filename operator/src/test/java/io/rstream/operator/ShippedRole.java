package io.rstream.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.rstream.testcluster.Call;
import io.rstream.testcluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rules of {@code config/rbac}, given to a ServiceAccount of its own, so that nothing else is bound to it, and what a
 * record of calls says about them.
 */
final class ShippedRole implements AutoCloseable {

    private static final String ACCOUNT = "operator";
    private static final String RBAC_GROUP = "rbac.authorization.k8s.io";

    /** The admission plugin OwnerReferencesPermissionEnforcement asks for it, which this cluster has not. */
    private static final String ASKED_BY_ADMISSION = "update tunnels.rstream.io/rstreamtunnels/finalizers";

    private final LocalCluster cluster;
    private final String home;
    private final List<HasMetadata> bound = new ArrayList<>();
    private final Set<String> granted = new TreeSet<>();

    private ShippedRole(LocalCluster cluster) {
        this.cluster = cluster;
        this.home = cluster.createNamespace("audit");
        create(new ServiceAccountBuilder()
                .withNewMetadata()
                .withNamespace(home)
                .withName(ACCOUNT)
                .endMetadata()
                .build());
        bind(home, load("leader_election_role.yaml", Role.class).getRules());
    }

    /** What {@code kubectl apply -k config/rbac} gives. */
    static ShippedRole clusterWide(LocalCluster cluster) {
        var shipped = new ShippedRole(cluster);
        var name = "audit-" + shipped.home;
        var rules = load("role.yaml", ClusterRole.class).getRules();
        shipped.create(new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withRules(rules)
                .build());
        shipped.create(new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewRoleRef(RBAC_GROUP, "ClusterRole", name)
                .addNewSubject()
                .withKind("ServiceAccount")
                .withNamespace(shipped.home)
                .withName(ACCOUNT)
                .endSubject()
                .build());
        shipped.grant(rules);
        return shipped;
    }

    /** What {@code kubectl apply -k config/rbac/namespaced} gives, once for each namespace. */
    static ShippedRole inNamespaces(LocalCluster cluster, Collection<String> namespaces) {
        var shipped = new ShippedRole(cluster);
        var rules = load("namespaced/role.yaml", Role.class).getRules();
        namespaces.forEach(namespace -> shipped.bind(namespace, rules));
        return shipped;
    }

    /** Namespace of the ServiceAccount and of the Lease. */
    String home() {
        return home;
    }

    String token() {
        return cluster.serviceAccountToken(home, ACCOUNT, Duration.ofHours(1));
    }

    /** Calls that the role does not allow. */
    static List<Call> denied(List<Call> calls) {
        return calls.stream().filter(call -> call.status() == 403).toList();
    }

    /**
     * What the role allows and nobody needed.
     *
     * @param agentRoles Roles that the operator made: whoever makes one needs what it gives
     */
    Set<String> unused(List<Call> calls, List<Role> agentRoles) {
        var used = calls.stream().flatMap(ShippedRole::used).collect(Collectors.toSet());
        agentRoles.forEach(role -> permissions(role.getRules()).forEach(used::add));
        used.add(ASKED_BY_ADMISSION);
        return granted.stream()
                .filter(permission -> !used.contains(permission))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void close() {
        bound.reversed().forEach(object -> cluster.client().resource(object).delete());
    }

    /** An apply that makes an object needs the right to create it, too. */
    private static Stream<String> used(Call call) {
        var path = call.resource() + (call.subresource().isEmpty() ? "" : "/" + call.subresource());
        var permission = permission(call.verb(), call.apiGroup(), path);
        return call.verb().equals("patch") && call.status() == 201
                ? Stream.of(permission, permission("create", call.apiGroup(), path))
                : Stream.of(permission);
    }

    private void bind(String namespace, List<PolicyRule> rules) {
        var name = "audit-" + home;
        create(new RoleBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withRules(rules)
                .build());
        create(new RoleBindingBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewRoleRef(RBAC_GROUP, "Role", name)
                .addNewSubject()
                .withKind("ServiceAccount")
                .withNamespace(home)
                .withName(ACCOUNT)
                .endSubject()
                .build());
        grant(rules);
    }

    private void grant(List<PolicyRule> rules) {
        permissions(rules).forEach(granted::add);
    }

    private static Stream<String> permissions(List<PolicyRule> rules) {
        return rules.stream()
                .flatMap(rule -> rule.getApiGroups().stream()
                        .flatMap(group -> rule.getResources().stream()
                                .flatMap(resource ->
                                        rule.getVerbs().stream().map(verb -> permission(verb, group, resource)))));
    }

    private static String permission(String verb, String group, String resource) {
        return verb + " " + group + "/" + resource;
    }

    private void create(HasMetadata object) {
        cluster.client().resource(object).create();
        bound.add(object);
    }

    private static <R extends HasMetadata> R load(String file, Class<R> kind) {
        var path = LocalCluster.repositoryRoot().resolve("config/rbac").resolve(file);
        try {
            return LocalCluster.shared().client().getKubernetesSerialization().unmarshal(Files.readString(path), kind);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("cannot read " + path, unreadable);
        }
    }
}
