package io.rstream.operator.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the objects of one watch as compressed JSON, which takes about a tenth of the memory that the client library's objects
 * take: most of those is their managed fields, which comparing needs. Each look costs a fraction of a millisecond and returns a
 * copy of its own. Thread-safe.
 */
public final class CompactItemStore<R extends HasMetadata> implements ItemStore<R> {

    private final Class<R> kind;
    private final KubernetesSerialization serialization;
    private final Map<String, byte[]> kept = new ConcurrentHashMap<>();

    public CompactItemStore(Class<R> kind, KubernetesSerialization serialization) {
        this.kind = kind;
        this.serialization = serialization;
    }

    @Override
    public String getKey(R object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    public @Nullable R put(String key, R object) {
        return read(kept.put(key, pack(object)));
    }

    @Override
    public @Nullable R remove(String key) {
        return read(kept.remove(key));
    }

    @Override
    public Stream<String> keySet() {
        return kept.keySet().stream();
    }

    @Override
    public Stream<R> values() {
        return kept.values().stream().map(this::unpack);
    }

    @Override
    public @Nullable R get(String key) {
        return read(kept.get(key));
    }

    @Override
    public int size() {
        return kept.size();
    }

    /** False: the watch then hands on the objects that it has, rather than to ask for them again. */
    @Override
    public boolean isFullState() {
        return false;
    }

    private @Nullable R read(byte @Nullable [] packed) {
        return packed == null ? null : unpack(packed);
    }

    private byte[] pack(R object) {
        var packed = new ByteArrayOutputStream();
        try (var deflate = new DeflaterOutputStream(packed)) {
            deflate.write(serialization.asJson(object).getBytes(StandardCharsets.UTF_8));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return packed.toByteArray();
    }

    private R unpack(byte[] packed) {
        try (var json = new InflaterInputStream(new ByteArrayInputStream(packed))) {
            return serialization.unmarshal(json, kind);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
