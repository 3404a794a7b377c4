package io.rstream.engine.config;

import io.rstream.process.BindAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the engine can be told, with the defaults next to the fields. Read from YAML by {@link EngineConfigFile}.
 *
 * @param listen the public TLS port for agents, API and HTTP tunnels
 * @param host the engine's own host name, lower case
 * @param tunnelDomain HTTP tunnels are {@code <name>.<tunnelDomain>}, lower case
 * @param publicPort the port that clients see, or null for the port that is really listened on
 * @param tls certificate and key
 * @param auth who may connect
 * @param tcp published TCP tunnels, or null to refuse them
 * @param management address of health, readiness and metrics, or null to switch them off
 * @param timeouts how long the engine waits for what
 * @param limits how much of everything it takes
 */
public record EngineConfig(
        BindAddress listen,
        String host,
        String tunnelDomain,
        @Nullable Integer publicPort,
        Tls tls,
        Auth auth,
        @Nullable Tcp tcp,
        @Nullable BindAddress management,
        Timeouts timeouts,
        Limits limits) {

    /**
     * The engine's certificate.
     *
     * @param certificateFile PEM chain for the engine host and {@code *.tunnelDomain}
     * @param keyFile PEM private key
     */
    public record Tls(Path certificateFile, Path keyFile) {}

    /**
     * Who may connect.
     *
     * @param tokenSecretFile file with the secret that signs tokens (HS256), or null when no token can be accepted
     * @param requireToken false admits clients without any credential
     * @param certificates client certificates that are as good as a token
     */
    public record Auth(@Nullable Path tokenSecretFile, boolean requireToken, List<CertificateEntry> certificates) {
        /** Copies the list. */
        public Auth {
            certificates = List.copyOf(certificates);
        }
    }

    /**
     * One registered client certificate.
     *
     * @param sha256 fingerprint of the leaf's DER form, 64 lower-case hexadecimal digits
     * @param name what the engine calls its owner
     * @param permissions the permissions it carries; null means all
     */
    public record CertificateEntry(
            String sha256, String name, @Nullable List<String> permissions) {
        /** Copies the list. */
        public CertificateEntry {
            permissions = permissions == null ? null : List.copyOf(permissions);
        }
    }

    /**
     * Published TCP tunnels.
     *
     * @param bindAddress local address to bind, empty for all interfaces
     * @param firstPort first port of the range
     * @param lastPort last port of the range
     * @param host host name that clients see
     */
    public record Tcp(String bindAddress, int firstPort, int lastPort, String host) {}

    /**
     * How long the engine waits.
     *
     * @param handshake for a TLS handshake, from the first byte on
     * @param firstFrame for the first message of an agent or dialer
     * @param streamRequest for an agent to call back
     * @param requestHeader for the rest of a request's header once its first byte is there
     * @param httpIdle on an HTTP connection without a request, to callers and to agents
     * @param responseHeader for a service to begin its answer, or null for no limit
     * @param drain for streams to finish when the engine stops
     * @param reservation for the same principal to come back after its session was lost; as long nobody else gets the
     *     names, host names and ports of its tunnels
     */
    public record Timeouts(
            Duration handshake,
            Duration firstFrame,
            Duration streamRequest,
            Duration requestHeader,
            Duration httpIdle,
            @Nullable Duration responseHeader,
            Duration drain,
            Duration reservation) {
        /** What holds when the file says nothing. */
        public static final Timeouts DEFAULT = new Timeouts(
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(15),
                Duration.ofSeconds(90),
                null,
                Duration.ofSeconds(30),
                Duration.ofSeconds(60));
    }

    /**
     * How much the engine takes.
     *
     * @param connections open connections on the public port
     * @param sessions control channels
     * @param tunnelsPerSession tunnels of one control channel
     * @param claimsPerTunnel control channels that may serve one tunnel at a time, as while an agent takes another one's
     *     place
     * @param streamsPerTunnel streams of one tunnel at a time
     * @param waitingStreams streams of all tunnels that wait for their agent
     * @param waitingStreamsPerTunnel streams of one tunnel that wait for their agent
     * @param headerBytes bytes of all header lines of one request or response
     */
    public record Limits(
            int connections,
            int sessions,
            int tunnelsPerSession,
            int claimsPerTunnel,
            int streamsPerTunnel,
            int waitingStreams,
            int waitingStreamsPerTunnel,
            int headerBytes) {
        /** What holds when the file says nothing. */
        public static final Limits DEFAULT = new Limits(20_000, 1_000, 200, 4, 4_096, 16_384, 1_024, 65_536);
    }
}
