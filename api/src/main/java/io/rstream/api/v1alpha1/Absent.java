package io.rstream.api.v1alpha1;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns collections that a document leaves out into empty ones, and copies those that it has in their order. */
final class Absent {

    private Absent() {}

    static <T> List<T> toEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : Collections.unmodifiableList(new ArrayList<>(list));
    }

    static <T> Map<String, T> toEmpty(@Nullable Map<String, T> map) {
        return map == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
