package io.rstream.engine.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.rstream.engine.config.EngineConfig.Auth;
import io.rstream.engine.config.EngineConfig.CertificateEntry;
import io.rstream.engine.config.EngineConfig.Limits;
import io.rstream.engine.config.EngineConfig.Tcp;
import io.rstream.engine.config.EngineConfig.Timeouts;
import io.rstream.engine.config.EngineConfig.Tls;
import io.rstream.process.BindAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link EngineConfig} from YAML. An unknown key, a duplicate key or a value outside its range is an error that names
 * the key. Relative file names are relative to the folder of the configuration file.
 */
public final class EngineConfigFile {
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());
    private static final Pattern PORTS = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");
    private static final Pattern HOST = Pattern.compile(
            "(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*");
    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");

    private final Path folder;

    private EngineConfigFile(Path folder) {
        this.folder = folder;
    }

    /**
     * Reads a file.
     *
     * @throws ConfigException when it cannot be read or used; the message starts with the file's name
     */
    public static EngineConfig read(Path file) throws ConfigException {
        Path absolute = file.toAbsolutePath();
        Path folder = absolute.getParent();
        try {
            return new EngineConfigFile(folder == null ? absolute : folder).config(root(absolute));
        } catch (ConfigException problem) {
            throw new ConfigException(file + ": " + problem.getMessage());
        }
    }

    private static ConfigSection root(Path file) throws ConfigException {
        try {
            JsonNode root = YAML.readTree(Files.readString(file));
            if (root instanceof ObjectNode object) {
                return new ConfigSection("", object);
            }
            throw new ConfigException("the file holds no mapping; it needs at least host, tls and auth");
        } catch (JsonProcessingException malformed) {
            var place = malformed.getLocation();
            throw new ConfigException((place == null ? "" : "line " + place.getLineNr() + ": ")
                    + firstLine(malformed.getOriginalMessage()));
        } catch (IOException unreadable) {
            throw new ConfigException("the file cannot be read; check that it exists and its permissions");
        }
    }

    private EngineConfig config(ConfigSection root) throws ConfigException {
        BindAddress listen = address(root, "listen", ":8443")
                .orElseThrow(() -> root.problem("listen", "the engine cannot work without its public port"));
        String host = hostname(root, "host")
                .orElseThrow(() -> root.problem("host", "write the engine's host name, such as edge.example.com"));
        String tunnelDomain = hostname(root, "tunnelDomain").orElse(standardDomain(host));
        int publicPort = root.number("publicPort", 0, 1, 65_535);
        EngineConfig config = new EngineConfig(
                listen,
                host,
                tunnelDomain,
                publicPort == 0 ? null : publicPort,
                tls(root),
                auth(root),
                tcp(root, host),
                address(root, "management", "127.0.0.1:9090").orElse(null),
                timeouts(root),
                limits(root));
        root.end();
        return config;
    }

    /** Beside the engine, as hosted engines do it (protocol, section 16.1): edge.example.com gives t.example.com. */
    private static String standardDomain(String host) {
        int dot = host.indexOf('.');
        return "t." + (dot < 0 ? host : host.substring(dot + 1));
    }

    private Tls tls(ConfigSection root) throws ConfigException {
        ConfigSection tls =
                root.section("tls").orElseThrow(() -> root.problem("tls", "give certificateFile and keyFile"));
        Tls result = new Tls(
                path(tls.requiredText("certificateFile", "name the PEM file with the certificate chain")),
                path(tls.requiredText("keyFile", "name the PEM file with the private key")));
        tls.end();
        return result;
    }

    private Auth auth(ConfigSection root) throws ConfigException {
        String expectation = "give tokenSecretFile or certificates, or say requireToken: false to admit everybody";
        ConfigSection auth = root.section("auth").orElseThrow(() -> root.problem("auth", expectation));
        List<CertificateEntry> certificates = new ArrayList<>();
        for (ConfigSection entry : auth.sections("certificates")) {
            certificates.add(certificate(entry));
        }
        Optional<Path> secretFile = auth.text("tokenSecretFile").map(this::path);
        boolean requireToken = auth.flag("requireToken", true);
        auth.end();
        if (secretFile.isEmpty() && requireToken && certificates.isEmpty()) {
            throw auth.problem("tokenSecretFile", expectation);
        }
        return new Auth(secretFile.orElse(null), requireToken, certificates);
    }

    private static CertificateEntry certificate(ConfigSection entry) throws ConfigException {
        String expectation = "write the SHA-256 fingerprint of the certificate as 64 hexadecimal digits";
        String fingerprint =
                entry.requiredText("sha256", expectation).replace(":", "").toLowerCase(Locale.ROOT);
        if (!FINGERPRINT.matcher(fingerprint).matches()) {
            throw entry.problem("sha256", expectation);
        }
        CertificateEntry result = new CertificateEntry(
                fingerprint,
                entry.requiredText("name", "write a name for the owner of the certificate"),
                entry.texts("permissions"));
        entry.end();
        return result;
    }

    private static @Nullable Tcp tcp(ConfigSection root, String host) throws ConfigException {
        Optional<ConfigSection> section = root.section("tcp");
        if (section.isEmpty()) {
            return null;
        }
        ConfigSection tcp = section.get();
        String expectation = "write a range of ports such as 10000-10100";
        Matcher ports = PORTS.matcher(tcp.requiredText("ports", expectation));
        if (!ports.matches()) {
            throw tcp.problem("ports", expectation);
        }
        int first = Integer.parseInt(ports.group(1));
        int last = ports.group(2) == null ? first : Integer.parseInt(ports.group(2));
        if (first < 1 || last > 65_535 || first > last) {
            throw tcp.problem("ports", expectation + ", from 1 to 65535");
        }
        Tcp result = new Tcp(
                tcp.text("bindAddress").orElse(""),
                first,
                last,
                hostname(tcp, "host").orElse(host));
        tcp.end();
        return result;
    }

    private static Timeouts timeouts(ConfigSection root) throws ConfigException {
        Optional<ConfigSection> section = root.section("timeouts");
        if (section.isEmpty()) {
            return Timeouts.DEFAULT;
        }
        ConfigSection timeouts = section.get();
        Timeouts standard = Timeouts.DEFAULT;
        Timeouts result = new Timeouts(
                timeouts.duration("handshake").orElse(standard.handshake()),
                timeouts.duration("firstFrame").orElse(standard.firstFrame()),
                timeouts.duration("streamRequest").orElse(standard.streamRequest()),
                timeouts.duration("requestHeader").orElse(standard.requestHeader()),
                timeouts.duration("httpIdle").orElse(standard.httpIdle()),
                timeouts.duration("responseHeader").orElse(null),
                timeouts.duration("drain").orElse(standard.drain()),
                timeouts.duration("reservation").orElse(standard.reservation()));
        timeouts.end();
        return result;
    }

    private static Limits limits(ConfigSection root) throws ConfigException {
        Optional<ConfigSection> section = root.section("limits");
        if (section.isEmpty()) {
            return Limits.DEFAULT;
        }
        ConfigSection limits = section.get();
        Limits standard = Limits.DEFAULT;
        Limits result = new Limits(
                limits.number("connections", standard.connections(), 1, 1_000_000),
                limits.number("sessions", standard.sessions(), 1, 100_000),
                limits.number("tunnelsPerSession", standard.tunnelsPerSession(), 1, 10_000),
                limits.number("claimsPerTunnel", standard.claimsPerTunnel(), 1, 16),
                limits.number("streamsPerTunnel", standard.streamsPerTunnel(), 1, 100_000),
                limits.number("waitingStreams", standard.waitingStreams(), 1, 100_000),
                limits.number("waitingStreamsPerTunnel", standard.waitingStreamsPerTunnel(), 1, 100_000),
                limits.number("headerBytes", standard.headerBytes(), 4_096, 1_048_576));
        limits.end();
        return result;
    }

    private static Optional<BindAddress> address(ConfigSection section, String key, String standard)
            throws ConfigException {
        try {
            return BindAddress.parse(section.text(key).orElse(standard));
        } catch (IllegalArgumentException notAnAddress) {
            throw section.problem(key, "write host:port or :port with a port from 0 to 65535");
        }
    }

    private static Optional<String> hostname(ConfigSection section, String key) throws ConfigException {
        Optional<String> host = section.text(key).map(text -> text.toLowerCase(Locale.ROOT));
        if (host.isPresent() && !HOST.matcher(host.get()).matches()) {
            throw section.problem(key, "write a host name without scheme, port or path, such as edge.example.com");
        }
        return host;
    }

    private Path path(String text) {
        return folder.resolve(text);
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("not YAML");
    }
}
