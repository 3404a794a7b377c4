package io.rstream.operator.event;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.rstream.api.v1alpha1.Condition;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events about changed conditions. The same news again raises the count of its Event. An object may cause {@value
 * Allowance#BURST} at once and one more every five minutes. What cannot be written is dropped: Events are a courtesy, and
 * the status says the same. May be called from any thread; never blocks and never throws.
 */
public final class EventRecorder {

    private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);
    private static final int OBJECTS = 2_000;
    private static final int NAMES = 20;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;
    private final Executor executor;
    private final InstantSource clock;

    /** By UID of the object, the most recently used last. Guarded by itself. */
    private final Map<String, Told> told = lru(OBJECTS);

    private record Told(Allowance allowance, Map<String, Integer> counts) {}

    /**
     * A recorder.
     *
     * @param executor runs the calls to the API server; it may refuse work
     */
    public EventRecorder(KubernetesClient client, Executor executor, InstantSource clock) {
        this.client = client;
        this.executor = executor;
        this.clock = clock;
    }

    /**
     * Tells what is new about an object whose status has just been written.
     *
     * @param before its conditions up to now
     * @param after its conditions from now on
     * @param error the error that the status names beside its conditions; null for none
     */
    public void conditionsChanged(
            HasMetadata object, List<Condition> before, List<Condition> after, @Nullable String error) {
        for (var news : ConditionNews.between(before, after, error != null)) {
            tell(object, news);
        }
    }

    private void tell(HasMetadata object, ConditionNews news) {
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        var event = EventText.event(object, news, now);
        var uid = object.getMetadata().getUid();
        try {
            executor.execute(() -> write(uid, event, now));
        } catch (RejectedExecutionException full) {
            log.atDebug().addKeyValue("event", event.getMetadata().getName()).log("Event dropped: too many wait");
        }
    }

    private void write(String uid, Event event, Instant now) {
        var name = event.getMetadata().getName();
        var count = count(uid, name, now);
        if (count == 0) {
            log.atDebug().addKeyValue("event", name).log("Event dropped: the object had too many");
            return;
        }
        try {
            if (count == 1) {
                create(event);
            } else {
                raise(event, count);
            }
        } catch (
                RuntimeException
                        failure) { // the client throws more kinds than it declares, and nobody else would catch
            log.atDebug()
                    .addKeyValue("event", name)
                    .addKeyValue("error", failure.getMessage())
                    .log("Event not written");
        }
    }

    /** How often this was told with this time; 0 if it must not be told. */
    private int count(String uid, String name, Instant now) {
        synchronized (told) {
            var known = told.computeIfAbsent(uid, _ -> new Told(new Allowance(now), lru(NAMES)));
            return known.allowance().take(now) ? known.counts().merge(name, 1, Integer::sum) : 0;
        }
    }

    /** An Event of that name is there already after a restart of the operator: its count is not known and goes on from 1. */
    private void create(Event event) {
        try {
            client.resource(event).create();
        } catch (KubernetesClientException failure) {
            if (failure.getCode() != CONFLICT) {
                throw failure;
            }
            raise(event, 2);
        }
    }

    /** Events are removed after an hour or so. */
    private void raise(Event event, int count) {
        var changes = new HashMap<String, Object>();
        changes.put("count", count);
        changes.put("lastTimestamp", Objects.requireNonNull(event.getLastTimestamp()));
        try {
            client.resource(event)
                    .patch(MERGE, client.getKubernetesSerialization().asJson(changes));
        } catch (KubernetesClientException failure) {
            if (failure.getCode() != NOT_FOUND) {
                throw failure;
            }
            client.resource(new EventBuilder(event).withCount(count).build()).create();
        }
    }

    private static <V> Map<String, V> lru(int limit) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > limit;
            }
        };
    }
}
