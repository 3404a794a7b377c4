package io.rstream.protocol;

import java.io.IOException;

/** The peer of a control channel is silent, or its heartbeats break the rules (rstream protocol, section 10.2). */
public final class LivenessException extends IOException {
    LivenessException(String message) {
        super(message);
    }
}
