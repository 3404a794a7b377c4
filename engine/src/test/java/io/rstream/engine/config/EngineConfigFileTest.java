package io.rstream.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rstream.process.BindAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineConfigFileTest {
    private static final String MINIMAL = """
            host: edge.example.com
            tls: {certificateFile: tls.crt, keyFile: /etc/tls.key}
            auth: {tokenSecretFile: secret}
            """;

    @TempDir
    Path folder;

    @Test
    void completesAMinimalFileWithDefaults() throws Exception {
        EngineConfig config = read(MINIMAL);

        assertThat(config.listen()).isEqualTo(new BindAddress("", 8443));
        assertThat(config.tunnelDomain()).isEqualTo("t.example.com");
        assertThat(config.publicPort()).isNull();
        assertThat(config.tls().certificateFile()).isEqualTo(folder.resolve("tls.crt"));
        assertThat(config.tls().keyFile()).isEqualTo(Path.of("/etc/tls.key"));
        assertThat(config.auth().requireToken()).isTrue();
        assertThat(config.tcp()).isNull();
        assertThat(config.management()).isEqualTo(new BindAddress("127.0.0.1", 9090));
        assertThat(config.timeouts()).isEqualTo(EngineConfig.Timeouts.DEFAULT);
        assertThat(config.limits()).isEqualTo(EngineConfig.Limits.DEFAULT);
    }

    @Test
    void readsEveryKey() throws Exception {
        EngineConfig config = read("""
                listen: "127.0.0.1:0"
                host: Edge.Example.com
                tunnelDomain: tunnels.example.org
                publicPort: 443
                tls: {certificateFile: a, keyFile: b}
                auth:
                  requireToken: false
                  certificates:
                    - {sha256: "AA:%s", name: ci, permissions: [tunnels.streams.create-delete]}
                tcp: {bindAddress: 127.0.0.1, ports: "10000-10100", host: tcp.example.com}
                management: ""
                timeouts: {handshake: 1s, firstFrame: 2s, streamRequest: 3s, requestHeader: 4s, httpIdle: 1m30s, responseHeader: 6s, drain: 500ms, reservation: 7s}
                limits: {connections: 1, sessions: 2, tunnelsPerSession: 3, claimsPerTunnel: 4, streamsPerTunnel: 5, waitingStreams: 6, waitingStreamsPerTunnel: 7, headerBytes: 8192}
                """.formatted("0".repeat(62)));

        assertThat(config.listen()).isEqualTo(new BindAddress("127.0.0.1", 0));
        assertThat(config.host()).isEqualTo("edge.example.com");
        assertThat(config.tunnelDomain()).isEqualTo("tunnels.example.org");
        assertThat(config.publicPort()).isEqualTo(443);
        assertThat(config.auth())
                .isEqualTo(new EngineConfig.Auth(
                        null,
                        false,
                        List.of(new EngineConfig.CertificateEntry(
                                "aa" + "0".repeat(62), "ci", List.of("tunnels.streams.create-delete")))));
        assertThat(config.tcp()).isEqualTo(new EngineConfig.Tcp("127.0.0.1", 10000, 10100, "tcp.example.com"));
        assertThat(config.management()).isNull();
        assertThat(config.timeouts().httpIdle()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.timeouts().responseHeader()).isEqualTo(Duration.ofSeconds(6));
        assertThat(config.timeouts().drain()).isEqualTo(Duration.ofMillis(500));
        assertThat(config.timeouts().reservation()).isEqualTo(Duration.ofSeconds(7));
        assertThat(config.limits()).isEqualTo(new EngineConfig.Limits(1, 2, 3, 4, 5, 6, 7, 8192));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    colour: red                                  | colour is not a known key; known here: listen, host
                    timeouts: {drian: 5s}                        | timeouts.drian is not a known key
                    timeouts: {drain: soon}                      | timeouts.drain is "soon"; write a positive duration
                    timeouts: {drain: 0s}                        | timeouts.drain is "0s"; write a positive duration
                    listen: 8443                                 | listen is 8443; write host:port
                    listen: ""                                   | listen is ""; the engine cannot work without its public port
                    tcp: {ports: 9-1}                            | tcp.ports is "9-1"; write a range of ports such as 10000-10100
                    tcp: {ports: 0-70000}                        | tcp.ports is "0-70000"
                    tcp: {}                                      | tcp.ports is missing; write a range of ports
                    tunnelDomain: "https://x"                    | tunnelDomain is "https://x"; write a host name
                    publicPort: 70000                            | publicPort is 70000; write a whole number from 1 to 65535
                    limits: {headerBytes: many}                  | limits.headerBytes is "many"; write a whole number
                    limits: 3                                    | limits is 3; write a mapping
                    """)
    void namesKeyValueAndExpectation(String line, String message) throws IOException {
        Path file = write(MINIMAL + line + "\n");

        assertThatThrownBy(() -> EngineConfigFile.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(file + ": " + message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    tls: {certificateFile: a, keyFile: b}~auth: {tokenSecretFile: s}        | host is missing; write the engine's host name
                    host: a~auth: {tokenSecretFile: s}                                      | tls is missing; give certificateFile and keyFile
                    host: a~tls: {keyFile: b}~auth: {tokenSecretFile: s}                    | tls.certificateFile is missing
                    host: a~tls: {certificateFile: a, keyFile: b}                           | auth is missing; give tokenSecretFile
                    host: a~tls: {certificateFile: a, keyFile: b}~auth: {requireToken: maybe} | auth.requireToken is "maybe"; write true or false
                    host: a~tls: {certificateFile: a, keyFile: b}~auth: {requireToken: true} | auth.tokenSecretFile is missing
                    host: a~tls: {certificateFile: a, keyFile: b}~auth: {certificates: [{sha256: abc, name: n}]} | auth.certificates[0].sha256 is "abc"
                    host: a~host: b                                                          | line 2: Duplicate
                    [1, 2]                                                                   | the file holds no mapping
                    'host: {'                                                                | line
                    """)
    void saysWhatIsMissing(String lines, String message) throws IOException {
        Path file = write(lines.replace('~', '\n'));

        assertThatThrownBy(() -> EngineConfigFile.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(file + ": " + message);
    }

    @Test
    void saysThatTheFileIsNotThere() {
        assertThatThrownBy(() -> EngineConfigFile.read(folder.resolve("none.yaml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cannot be read; check that it exists and its permissions");
    }

    private EngineConfig read(String yaml) throws Exception {
        return EngineConfigFile.read(write(yaml));
    }

    private Path write(String yaml) throws IOException {
        return Files.writeString(folder.resolve("engine.yaml"), yaml);
    }
}
