package io.rstream.protocol;

import java.nio.file.Path;

/** Which certificates of a server a client accepts. */
public sealed interface Trust {
    /** Those that the JDK's trust store leads to. */
    record SystemRoots() implements Trust {}

    /**
     * Those that lead to a certificate in a PEM file.
     *
     * @param file one or more PEM certificates; they replace the system's
     */
    record Bundle(Path file) implements Trust {}

    /** Any certificate of any name: for services whose certificates nobody can check, and for tests. */
    record Insecure() implements Trust {}
}
