package io.rstream.e2e.compatibility;

import java.nio.file.Path;

/**
 * A test method that carries a tag.
 *
 * @param file its source file, relative to the root of the repository
 * @param type simple name of its class
 * @param method name of the method
 * @param tag value of the tag, for example {@code parity-7}
 * @param isTest whether the method is one that JUnit runs
 */
record TaggedTest(Path file, String type, String method, String tag, boolean isTest) {

    /** Class and method, as Maven's {@code -Dtest} takes them. */
    String name() {
        return type + "#" + method;
    }
}
