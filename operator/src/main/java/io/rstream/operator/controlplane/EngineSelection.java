package io.rstream.operator.controlplane;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Pure: which engine of a project agents use (operator reference, annex A.2). The messages are the reference's. */
public sealed interface EngineSelection {

    /** What a connection without a region uses. */
    String AUTO = "auto";

    /**
     * An engine was found.
     *
     * @param engine its address, {@code host:port}
     * @param region the region in lower case, or {@link #AUTO}
     */
    record Selected(String engine, String region) implements EngineSelection {}

    /**
     * The project has no such engine.
     *
     * @param message why
     */
    record Refused(String message) implements EngineSelection {}

    /**
     * Selects.
     *
     * @param region as the connection has it; null, blank and {@code auto} mean the project's default
     */
    static EngineSelection of(Project project, @Nullable String region) {
        var name = region == null ? "" : region.strip().toLowerCase(Locale.ROOT);
        if (name.isEmpty() || name.equals(AUTO)) {
            return Selections.ofDefault(project);
        }
        return Selections.REGION.matcher(name).matches()
                ? Selections.ofRegion(project, name)
                : new Refused("region can only contain letters, numbers, dots, underscores, or hyphens");
    }

    /** The two ways to select. */
    final class Selections {

        private static final Pattern REGION = Pattern.compile("(?=.{1,64}$)[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?");
        private static final int HTTPS = 443;

        private Selections() {}

        private static EngineSelection ofDefault(Project project) {
            if (!project.endpoint().isEmpty() && !project.domain().isEmpty()) {
                var port = project.enginePort() > 0 ? project.enginePort() : HTTPS;
                return new Selected(address(project.endpoint(), project.domain(), port), AUTO);
            }
            if (!project.url().isEmpty()) {
                var url = project.url();
                return new Selected(url.contains(":") ? url : url + ":" + HTTPS, AUTO);
            }
            return new Refused("project does not define an engine endpoint");
        }

        private static EngineSelection ofRegion(Project project, String name) {
            if (project.regional()) {
                return new Refused("region selection is only available for global projects");
            }
            var matching = project.regions().stream()
                    .filter(region -> region.name().equalsIgnoreCase(name))
                    .toList();
            if (matching.isEmpty()) {
                return new Refused("region \"%s\" is not available for this project%s".formatted(name, list(project)));
            }
            if (matching.size() > 1) {
                return new Refused("region \"%s\" is ambiguous for this project".formatted(name));
            }
            var region = matching.getFirst();
            return project.endpoint().isEmpty() || region.domain().isEmpty() || region.enginePort() <= 0
                    ? new Refused("region \"%s\" has an invalid engine endpoint".formatted(name))
                    : new Selected(address(project.endpoint(), region.domain(), region.enginePort()), name);
        }

        private static String list(Project project) {
            var names = project.regions().stream()
                    .map(region -> region.name().toLowerCase(Locale.ROOT))
                    .filter(name -> !name.isEmpty())
                    .distinct()
                    .sorted()
                    .collect(Collectors.joining(", "));
            return names.isEmpty() ? "" : " (available: " + names + ")";
        }

        private static String address(String endpoint, String domain, int port) {
            return endpoint + "." + domain + ":" + port;
        }
    }
}
