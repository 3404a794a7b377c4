package io.rstream.engine;

/** The version of this engine, from the manifest of its jar. */
final class EngineVersion {
    static final String CURRENT = current();

    private EngineVersion() {}

    private static String current() {
        String version = EngineVersion.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
