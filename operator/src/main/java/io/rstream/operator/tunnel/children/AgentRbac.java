package io.rstream.operator.tunnel.children;

import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.rstream.api.v1alpha1.WellKnown;

/** Pure: who the agent is for the API server, and that it may read its own tunnel and report on it, no more. */
final class AgentRbac {

    private static final String RBAC_GROUP = "rbac.authorization.k8s.io";

    private AgentRbac() {}

    static ServiceAccount serviceAccount(AgentWorkload workload) {
        return new ServiceAccountBuilder()
                .withMetadata(workload.metadata(workload.name(), WellKnown.COMPONENT_RBAC))
                .build();
    }

    /** The rules of operator reference, section 5.2. */
    static Role role(AgentWorkload workload) {
        return new RoleBuilder()
                .withMetadata(workload.metadata(workload.name(), WellKnown.COMPONENT_RBAC))
                .addNewRule()
                .withApiGroups(WellKnown.GROUP)
                .withResources("rstreamtunnels")
                .withResourceNames(workload.tunnelName())
                .withVerbs("get")
                .endRule()
                .addNewRule()
                .withApiGroups(WellKnown.GROUP)
                .withResources("rstreamtunnels/status")
                .withResourceNames(workload.tunnelName())
                .withVerbs("get", "patch", "update")
                .endRule()
                .build();
    }

    static RoleBinding roleBinding(AgentWorkload workload) {
        return new RoleBindingBuilder()
                .withMetadata(workload.metadata(workload.name(), WellKnown.COMPONENT_RBAC))
                .withNewRoleRef(RBAC_GROUP, "Role", workload.name())
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName(workload.name())
                .withNamespace(workload.namespace())
                .endSubject()
                .build();
    }
}
