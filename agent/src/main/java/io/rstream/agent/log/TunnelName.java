package io.rstream.agent.log;

import org.slf4j.spi.LoggingEventBuilder;

/**
 * Which tunnel object a log record is about; every record of the agent carries both keys where they are known.
 *
 * @param namespace namespace of the tunnel object, or "" for an agent without Kubernetes
 * @param name name of the tunnel object, or the tunnel's name in rstream for an agent without Kubernetes
 */
public record TunnelName(String namespace, String name) {

    /** Adds {@code namespace} and {@code name}. */
    public LoggingEventBuilder on(LoggingEventBuilder record) {
        LoggingEventBuilder named = namespace.isEmpty() ? record : record.addKeyValue("namespace", namespace);
        return named.addKeyValue("name", name);
    }
}
