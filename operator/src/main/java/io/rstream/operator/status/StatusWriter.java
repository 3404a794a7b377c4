package io.rstream.operator.status;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.rstream.api.v1alpha1.WellKnown;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes the operator's part of a status by server-side apply. That removes only fields which the operator applied itself;
 * what another manager left in the operator's fields, such as an earlier version that updated the whole status, is then
 * removed by name, once.
 */
public final class StatusWriter {

    private StatusWriter() {}

    /** The metadata of a patch for the status of an object, without a version; the UID spares an object made anew. */
    public static ObjectMeta identity(CustomResource<?, ?> object) {
        var metadata = object.getMetadata();
        return new ObjectMetaBuilder()
                .withNamespace(metadata.getNamespace())
                .withName(metadata.getName())
                .withUid(metadata.getUid())
                .build();
    }

    /**
     * Writes.
     *
     * @param patch identity and all that the operator has to say
     * @param owned takes an object to the operator's part of its status
     * @return the newest object
     */
    public static <R extends CustomResource<?, S>, S> R write(R patch, Function<R, S> owned, Context<R> context) {
        var latest = context.resourceOperations().serverSideApplyPrimaryStatus(patch);
        var serialization = context.getClient().getKubernetesSerialization();
        var leftovers = fields(owned.apply(latest), serialization);
        leftovers.removeAll(fields(patch.getStatus(), serialization));
        return leftovers.isEmpty() ? latest : clear(latest, leftovers, context);
    }

    private static <R extends CustomResource<?, ?>> R clear(R object, Collection<String> fields, Context<R> context) {
        var nothing = new HashMap<String, @Nullable Object>();
        fields.forEach(field -> nothing.put(field, null));
        var metadata = Map.<String, Object>of("uid", object.getMetadata().getUid());
        return merge(object, metadata, nothing, context.getClient());
    }

    /**
     * Changes single fields of a status whoever owns them, in the operator's name.
     *
     * @param metadata what must be true of the object, such as its UID
     * @param status the fields; null removes one
     * @return the newest object
     */
    public static <R extends CustomResource<?, ?>> R merge(
            R object, Map<String, Object> metadata, Map<String, @Nullable Object> status, KubernetesClient client) {
        var patch = client.getKubernetesSerialization().asJson(Map.of("metadata", metadata, "status", status));
        return client.resource(object)
                .subresource("status")
                .patch(
                        new PatchContext.Builder()
                                .withPatchType(PatchType.JSON_MERGE)
                                .withFieldManager(WellKnown.FIELD_MANAGER_OPERATOR)
                                .build(),
                        patch);
    }

    /** Names of the fields that are present. */
    private static Set<String> fields(Object status, KubernetesSerialization serialization) {
        Map<?, ?> fields = serialization.convertValue(status, Map.class);
        var names = new HashSet<String>();
        fields.keySet().forEach(name -> names.add(name.toString()));
        return names;
    }
}
