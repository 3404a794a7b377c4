package io.rstream.e2e.compatibility;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One item of {@code compatibility.yaml}; the file explains the components.
 *
 * @param number its number in tags
 * @param group heading under which it stands
 */
record Promise(
        int number,
        String group,
        String statement,
        @Nullable String difference,
        @Nullable String later) {

    private record Group(String group, Map<Integer, Item> items) {}

    private record Item(
            String statement,
            @Nullable String difference,
            @Nullable String later) {}

    /** All promises in the order of the file. */
    static List<Promise> read(Path file) {
        try {
            return List.of(new YAMLMapper().readValue(file.toFile(), Group[].class)).stream()
                    .flatMap(group -> group.items().entrySet().stream()
                            .map(entry -> of(entry.getKey(), group.group(), entry.getValue())))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static Promise of(int number, String group, Item item) {
        return new Promise(number, group, item.statement(), item.difference(), item.later());
    }
}
