package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.generator.annotation.Default;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The network path from an agent to the engine.
 *
 * @param mode wire transport; wins over {@code useQuic}
 * @param bind local end of the connection
 * @param ipFamily IP version towards the engine
 * @param dns how the engine's name is resolved
 * @param mptcp whether to ask for Multipath TCP
 * @param proxy HTTP proxy between agent and engine
 * @param useQuic deprecated form of {@code mode}
 */
@Document
public record Transport(
        @JsonPropertyDescription("Wire transport between agent and engine: tls, quic, or auto, which tries QUIC and"
                + " falls back to TLS. Absent means auto unless useQuic is set.")
        @Nullable
        Mode mode,

        @JsonPropertyDescription("Local end of the agent's connection to the engine.") @Nullable
        Bind bind,

        @JsonPropertyDescription("IP version used towards the engine.") @Default("auto") @Nullable
        IpFamily ipFamily,

        @JsonPropertyDescription("How the agent resolves the engine's name.") @Nullable
        Dns dns,

        @JsonPropertyDescription("Asks for Multipath TCP on the TLS transport.") @Nullable
        Boolean mptcp,

        @JsonPropertyDescription("HTTP proxy between agent and engine.") @Nullable
        Proxy proxy,

        @JsonPropertyDescription(
                "Deprecated: use mode. true selects quic and false selects tls; mode wins when both" + " are set.")
        @Nullable
        Boolean useQuic) {

    /** Wire transport between agent and engine. */
    public enum Mode {
        AUTO("auto"),
        TLS("tls"),
        QUIC("quic");

        private final String value;

        Mode(String value) {
            this.value = value;
        }

        /** The text in documents. */
        @JsonValue
        public String value() {
            return value;
        }
    }

    /** What a {@link Bind} names. */
    public enum BindMode {
        ADDRESS("address"),
        INTERFACE("interface");

        private final String value;

        BindMode(String value) {
            this.value = value;
        }

        /** The text in documents. */
        @JsonValue
        public String value() {
            return value;
        }
    }

    /** IP version towards the engine. */
    public enum IpFamily {
        AUTO("auto"),
        IPV4("ipv4"),
        IPV6("ipv6");

        private final String value;

        IpFamily(String value) {
            this.value = value;
        }

        /** The text in documents. */
        @JsonValue
        public String value() {
            return value;
        }
    }

    /**
     * Local end of the connection.
     *
     * @param mode which of the other two fields counts
     * @param interfaceName network interface, JSON name {@code interface}
     * @param address IP address
     */
    @Document
    public record Bind(
            @JsonPropertyDescription("Which field counts: address or interface.") @Default("address") @Nullable
            BindMode mode,

            @JsonProperty("interface")
            @JsonPropertyDescription("Name of the network interface to leave through, in mode interface.")
            @Nullable
            String interfaceName,

            @JsonPropertyDescription("Local IP address to connect from, in mode address.") @Nullable
            String address) {}

    /**
     * How the engine's name is resolved.
     *
     * @param override address of the DNS server
     * @param tls DNS over TLS
     * @param serverName name in the DNS server's certificate
     * @param dnssec validate answers
     */
    @Document
    public record Dns(
            @JsonPropertyDescription("Address of the DNS server to ask instead of the pod's own.") @Nullable
            String override,

            @JsonPropertyDescription("Asks the DNS server over TLS.") @Nullable
            Boolean tls,

            @JsonPropertyDescription("Name that the DNS server's certificate must carry, with tls.") @Nullable
            String serverName,

            @JsonPropertyDescription("Accepts only answers that DNSSEC validates.") @Nullable
            Boolean dnssec) {}

    /**
     * HTTP proxy between agent and engine.
     *
     * @param http proxy URL
     * @param usernameSecretRef user name for the proxy
     * @param passwordSecretRef password for the proxy
     * @param headers extra headers of the CONNECT request
     */
    @Document
    public record Proxy(
            @JsonPropertyDescription("URL of the HTTP proxy, for example http://proxy.example.com:3128.") @Nullable
            String http,

            @JsonPropertyDescription("Secret key that holds the user name for the proxy.") @Nullable
            SecretKeyRef usernameSecretRef,

            @JsonPropertyDescription("Secret key that holds the password for the proxy.") @Nullable
            SecretKeyRef passwordSecretRef,

            @JsonPropertyDescription("Extra headers of the CONNECT request to the proxy.")
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
            Map<String, String> headers) {

        public Proxy {
            headers = Absent.toEmpty(headers);
        }
    }
}
