package io.rstream.operator.controlplane;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How control planes are reached.
 *
 * @param access which ones may be asked
 * @param caFile PEM certificates of authorities to trust besides the JDK's own; null for none
 * @param proxies how to get out
 */
public record ControlPlaneOptions(
        ControlPlaneAccess access, @Nullable Path caFile, ProxySettings proxies) {

    /** Any control plane over HTTPS, straight, with the JDK's authorities. */
    public static ControlPlaneOptions standard() {
        return new ControlPlaneOptions(ControlPlaneAccess.DEFAULT, null, ProxySettings.none());
    }
}
