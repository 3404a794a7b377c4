package io.rstream.api.v1alpha1;

/**
 * One thing that is wrong with an object.
 *
 * @param path where, for example {@code spec.tcpPort}
 * @param message what, as a phrase that stands by itself
 */
public record Violation(String path, String message) {}
