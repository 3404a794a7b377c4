package io.rstream.operator.controlplane;

import java.net.URI;

/**
 * What is asked, and where.
 *
 * @param apiUrl base URL of the control plane as {@link ControlPlaneAccess} let it pass, without a slash at the end
 * @param selector the project
 */
public record LookUpTarget(String apiUrl, ProjectSelector selector) {

    /** The whole URL of the request. */
    URI uri() {
        return URI.create(apiUrl + selector.path());
    }

    /** Host and port of the control plane as the URL has them, for messages and limits. */
    String authority() {
        return URI.create(apiUrl).getRawAuthority();
    }
}
