package io.rstream.e2e.process;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@link JavaProcess} starts. The process gets this JVM's class path and, of this JVM's environment, only what finds
 * programs and folders: nothing of a developer's own settings reaches it.
 *
 * @param name what failures and log files call it, such as {@code engine}
 * @param mainClass the qualified name of the class with the main method
 * @param jvmFlags flags before the main class
 * @param arguments arguments after it; visible to every user of the machine, so never a secret
 * @param environment additional environment variables; secrets go here
 * @param folder where {@code <name>.log} (standard output) and {@code <name>.err} are written; null writes no file
 */
public record JavaLaunch(
        String name,
        String mainClass,
        List<String> jvmFlags,
        List<String> arguments,
        Map<String, String> environment,
        @Nullable Path folder) {

    /** Copies the collections. */
    public JavaLaunch {
        jvmFlags = List.copyOf(jvmFlags);
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
    }

    /** A launch without flags, environment and files. */
    public static JavaLaunch of(String name, String mainClass, String... arguments) {
        return new JavaLaunch(name, mainClass, List.of(), List.of(arguments), Map.of(), null);
    }

    /** The same launch with other JVM flags. */
    public JavaLaunch withJvmFlags(List<String> flags) {
        return new JavaLaunch(name, mainClass, flags, arguments, environment, folder);
    }

    /** The same launch with one more environment variable. */
    public JavaLaunch withEnvironment(String variable, String value) {
        Map<String, String> more = new HashMap<>(environment);
        more.put(variable, value);
        return new JavaLaunch(name, mainClass, jvmFlags, arguments, more, folder);
    }

    /** The same launch with its output written to files in a folder as well. */
    public JavaLaunch withFolder(Path logs) {
        return new JavaLaunch(name, mainClass, jvmFlags, arguments, environment, logs);
    }

    /** Leaves the values of the environment out. */
    @Override
    public String toString() {
        return "JavaLaunch[name=%s, mainClass=%s, jvmFlags=%s, arguments=%s, environment=%s]"
                .formatted(name, mainClass, jvmFlags, arguments, environment.keySet());
    }
}
