package io.rstream.protocol;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a tunnel is, wanted or effective (rstream protocol, section 6.5). A null component was left out on the wire.
 * Enumerations are wire strings here, so that an unknown value reaches the rules that refuse it by name.
 *
 * @param id identifier; set by the engine
 * @param creationDate creation time; set by the engine
 * @param name name; the dialing key of a private tunnel
 * @param type see {@link TunnelType}
 * @param publish true for a public tunnel, false for a private one
 * @param protocol see {@link TunnelProtocol}
 * @param labels free metadata, sorted by key; never null
 * @param geoip allowed countries as two letters (ISO 3166-1); never null
 * @param trustedIps allowed source networks (CIDR); never null
 * @param host public authority in the old form of one string; set by the engine
 * @param tlsMode see {@link TlsMode}
 * @param tlsAlpns ALPN names that the edge accepts; never null
 * @param tlsMinVersion see {@link TlsVersion}
 * @param tlsCiphers allowed cipher suites; never null
 * @param mtlsAuth whether the edge requires client certificates
 * @param mtlsCacertPem deprecated; ignored
 * @param httpVersion see {@link HttpVersion}
 * @param httpUseTls deprecated name of upstreamTls for HTTP
 * @param tokenAuth whether the edge asks for a bearer token
 * @param rstreamAuth whether the edge asks for a login
 * @param challengeMode whether the edge puts an interactive challenge first
 * @param hostname public hostname, asked for or assigned
 * @param port public port, asked for or assigned; a number above 2^31 - 1 on the wire is read as 2^31 - 1
 * @param upstreamTls whether the engine speaks TLS to the service
 * @param datagramGuaranteedDelivery whether packets travel in frames
 * @param allowCrossRegionRouting whether traffic may enter in another region
 */
public record TunnelProperties(
        @Nullable String id,
        @Nullable Instant creationDate,
        @Nullable String name,
        @Nullable String type,
        @Nullable Boolean publish,
        @Nullable String protocol,
        Map<String, String> labels,
        List<String> geoip,
        List<String> trustedIps,
        @Nullable String host,
        @Nullable String tlsMode,
        List<String> tlsAlpns,
        @Nullable String tlsMinVersion,
        List<String> tlsCiphers,
        @Nullable Boolean mtlsAuth,
        @Nullable String mtlsCacertPem,
        @Nullable String httpVersion,
        @Nullable Boolean httpUseTls,
        @Nullable Boolean tokenAuth,
        @Nullable Boolean rstreamAuth,
        @Nullable Boolean challengeMode,
        @Nullable String hostname,
        @Nullable Integer port,
        @Nullable Boolean upstreamTls,
        @Nullable Boolean datagramGuaranteedDelivery,
        @Nullable Boolean allowCrossRegionRouting) {

    /** Properties in which nothing is said. */
    public static final TunnelProperties EMPTY = builder().build();

    /** Copies the collections. */
    public TunnelProperties {
        labels = Collections.unmodifiableMap(new TreeMap<>(labels));
        geoip = List.copyOf(geoip);
        trustedIps = List.copyOf(trustedIps);
        tlsAlpns = List.copyOf(tlsAlpns);
        tlsCiphers = List.copyOf(tlsCiphers);
    }

    /** A builder in which nothing is said. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these properties. */
    public Builder toBuilder() {
        return new Builder()
                .id(id)
                .creationDate(creationDate)
                .name(name)
                .type(type)
                .publish(publish)
                .protocol(protocol)
                .labels(labels)
                .geoip(geoip)
                .trustedIps(trustedIps)
                .host(host)
                .tlsMode(tlsMode)
                .tlsAlpns(tlsAlpns)
                .tlsMinVersion(tlsMinVersion)
                .tlsCiphers(tlsCiphers)
                .mtlsAuth(mtlsAuth)
                .mtlsCacertPem(mtlsCacertPem)
                .httpVersion(httpVersion)
                .httpUseTls(httpUseTls)
                .tokenAuth(tokenAuth)
                .rstreamAuth(rstreamAuth)
                .challengeMode(challengeMode)
                .hostname(hostname)
                .port(port)
                .upstreamTls(upstreamTls)
                .datagramGuaranteedDelivery(datagramGuaranteedDelivery)
                .allowCrossRegionRouting(allowCrossRegionRouting);
    }

    /** Collects properties by name, since a record of so many components cannot be read by position. Not thread-safe. */
    public static final class Builder {
        private @Nullable String id;
        private @Nullable Instant creationDate;
        private @Nullable String name;
        private @Nullable String type;
        private @Nullable Boolean publish;
        private @Nullable String protocol;
        private Map<String, String> labels = Map.of();
        private List<String> geoip = List.of();
        private List<String> trustedIps = List.of();
        private @Nullable String host;
        private @Nullable String tlsMode;
        private List<String> tlsAlpns = List.of();
        private @Nullable String tlsMinVersion;
        private List<String> tlsCiphers = List.of();
        private @Nullable Boolean mtlsAuth;
        private @Nullable String mtlsCacertPem;
        private @Nullable String httpVersion;
        private @Nullable Boolean httpUseTls;
        private @Nullable Boolean tokenAuth;
        private @Nullable Boolean rstreamAuth;
        private @Nullable Boolean challengeMode;
        private @Nullable String hostname;
        private @Nullable Integer port;
        private @Nullable Boolean upstreamTls;
        private @Nullable Boolean datagramGuaranteedDelivery;
        private @Nullable Boolean allowCrossRegionRouting;

        private Builder() {}

        /** Sets id: identifier; set by the engine. */
        public Builder id(@Nullable String value) {
            this.id = value;
            return this;
        }

        /** Sets creationDate: creation time; set by the engine. */
        public Builder creationDate(@Nullable Instant value) {
            this.creationDate = value;
            return this;
        }

        /** Sets name: name; the dialing key of a private tunnel. */
        public Builder name(@Nullable String value) {
            this.name = value;
            return this;
        }

        /** Sets type: see {@link TunnelType}. */
        public Builder type(@Nullable String value) {
            this.type = value;
            return this;
        }

        /** Sets publish: true for a public tunnel, false for a private one. */
        public Builder publish(@Nullable Boolean value) {
            this.publish = value;
            return this;
        }

        /** Sets protocol: see {@link TunnelProtocol}. */
        public Builder protocol(@Nullable String value) {
            this.protocol = value;
            return this;
        }

        /** Sets labels: free metadata, sorted by key; never null. */
        public Builder labels(Map<String, String> value) {
            this.labels = value;
            return this;
        }

        /** Sets geoip: allowed countries as two letters (ISO 3166-1); never null. */
        public Builder geoip(List<String> value) {
            this.geoip = value;
            return this;
        }

        /** Sets trustedIps: allowed source networks (CIDR); never null. */
        public Builder trustedIps(List<String> value) {
            this.trustedIps = value;
            return this;
        }

        /** Sets host: public authority in the old form of one string; set by the engine. */
        public Builder host(@Nullable String value) {
            this.host = value;
            return this;
        }

        /** Sets tlsMode: see {@link TlsMode}. */
        public Builder tlsMode(@Nullable String value) {
            this.tlsMode = value;
            return this;
        }

        /** Sets tlsAlpns: ALPN names that the edge accepts; never null. */
        public Builder tlsAlpns(List<String> value) {
            this.tlsAlpns = value;
            return this;
        }

        /** Sets tlsMinVersion: see {@link TlsVersion}. */
        public Builder tlsMinVersion(@Nullable String value) {
            this.tlsMinVersion = value;
            return this;
        }

        /** Sets tlsCiphers: allowed cipher suites; never null. */
        public Builder tlsCiphers(List<String> value) {
            this.tlsCiphers = value;
            return this;
        }

        /** Sets mtlsAuth: whether the edge requires client certificates. */
        public Builder mtlsAuth(@Nullable Boolean value) {
            this.mtlsAuth = value;
            return this;
        }

        /** Sets mtlsCacertPem: deprecated; ignored. */
        public Builder mtlsCacertPem(@Nullable String value) {
            this.mtlsCacertPem = value;
            return this;
        }

        /** Sets httpVersion: see {@link HttpVersion}. */
        public Builder httpVersion(@Nullable String value) {
            this.httpVersion = value;
            return this;
        }

        /** Sets httpUseTls: deprecated name of upstreamTls for HTTP. */
        public Builder httpUseTls(@Nullable Boolean value) {
            this.httpUseTls = value;
            return this;
        }

        /** Sets tokenAuth: whether the edge asks for a bearer token. */
        public Builder tokenAuth(@Nullable Boolean value) {
            this.tokenAuth = value;
            return this;
        }

        /** Sets rstreamAuth: whether the edge asks for a login. */
        public Builder rstreamAuth(@Nullable Boolean value) {
            this.rstreamAuth = value;
            return this;
        }

        /** Sets challengeMode: whether the edge puts an interactive challenge first. */
        public Builder challengeMode(@Nullable Boolean value) {
            this.challengeMode = value;
            return this;
        }

        /** Sets hostname: public hostname, asked for or assigned. */
        public Builder hostname(@Nullable String value) {
            this.hostname = value;
            return this;
        }

        /** Sets port: public port, asked for or assigned; a number above 2^31 - 1 on the wire is read as 2^31 - 1. */
        public Builder port(@Nullable Integer value) {
            this.port = value;
            return this;
        }

        /** Sets upstreamTls: whether the engine speaks TLS to the service. */
        public Builder upstreamTls(@Nullable Boolean value) {
            this.upstreamTls = value;
            return this;
        }

        /** Sets datagramGuaranteedDelivery: whether packets travel in frames. */
        public Builder datagramGuaranteedDelivery(@Nullable Boolean value) {
            this.datagramGuaranteedDelivery = value;
            return this;
        }

        /** Sets allowCrossRegionRouting: whether traffic may enter in another region. */
        public Builder allowCrossRegionRouting(@Nullable Boolean value) {
            this.allowCrossRegionRouting = value;
            return this;
        }

        /** The properties collected so far. */
        public TunnelProperties build() {
            return new TunnelProperties(
                    id,
                    creationDate,
                    name,
                    type,
                    publish,
                    protocol,
                    labels,
                    geoip,
                    trustedIps,
                    host,
                    tlsMode,
                    tlsAlpns,
                    tlsMinVersion,
                    tlsCiphers,
                    mtlsAuth,
                    mtlsCacertPem,
                    httpVersion,
                    httpUseTls,
                    tokenAuth,
                    rstreamAuth,
                    challengeMode,
                    hostname,
                    port,
                    upstreamTls,
                    datagramGuaranteedDelivery,
                    allowCrossRegionRouting);
        }
    }
}
