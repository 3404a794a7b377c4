package io.rstream.agent.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** Reads the agent's file strictly and writes it in one stable form. */
public final class AgentConfigFile {
    private static final int MAXIMUM_BYTES = 1 << 20;
    private static final int HASH_DIGITS = 16;

    private static final YAMLMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .disable(YAMLGenerator.Feature.SPLIT_LINES)
                    .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                    .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS))
            .build();

    private AgentConfigFile() {}

    /**
     * Reads and checks a file.
     *
     * @throws ConfigException when the file cannot be read, is not one YAML document of the documented shape, has an
     *     unknown or a repeated key at any depth, or lacks a mandatory value; the message names the key's path
     */
    public static AgentConfig read(Path file) throws ConfigException {
        return parse(text(file));
    }

    /**
     * Reads a file without looking at what it says.
     *
     * @throws ConfigException when it cannot be read
     */
    public static String text(Path file) throws ConfigException {
        if (file.toString().isBlank()) {
            throw new ConfigException("config path is required");
        }
        try {
            if (Files.size(file) > MAXIMUM_BYTES) {
                throw new ConfigException("read config: %s is larger than %d bytes".formatted(file, MAXIMUM_BYTES));
            }
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new ConfigException("read config: %s does not exist".formatted(file));
        } catch (AccessDeniedException e) {
            throw new ConfigException("read config: %s may not be read by this user".formatted(file));
        } catch (IOException e) {
            throw new ConfigException("read config: %s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    /**
     * Checks a document that is already in memory; see {@link #read(Path)}.
     *
     * @throws ConfigException as {@link #read(Path)} does
     */
    public static AgentConfig parse(String yaml) throws ConfigException {
        boolean nothing = yaml.lines().allMatch(line -> line.isBlank() || line.startsWith("#"));
        try {
            AgentConfig config = YAML.readValue(nothing ? "{}" : yaml, AgentConfig.class);
            if (config == null) {
                throw new ConfigException("decode config: the document is null; write the agent's keys");
            }
            List<String> violations = AgentConfigRules.violations(config);
            if (!violations.isEmpty()) {
                throw new ConfigException(String.join("; ", violations));
            }
            return config;
        } catch (JsonProcessingException e) {
            throw new ConfigException("decode config: " + cause(e));
        }
    }

    /** The document for this configuration: keys in the documented order, absent values left out, map keys sorted. */
    public static String write(AgentConfig config) {
        try {
            return YAML.writeValueAsString(config);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an agent configuration is plain data and can always be written", e);
        }
    }

    /**
     * Names a text of a configuration file: the first 16 hexadecimal digits of SHA-256 over the text in UTF-8 and one NUL
     * byte. Operator and agent compare it to find out whether the running agent has the configuration that is wanted.
     */
    public static String hash(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(text.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }

    private static String cause(JsonProcessingException e) {
        String where = place(e);
        return switch (e) {
            case UnrecognizedPropertyException unknown ->
                "unknown key %s; known keys there: %s"
                        .formatted(
                                where,
                                unknown.getKnownPropertyIds().stream()
                                        .map(String::valueOf)
                                        .sorted()
                                        .collect(Collectors.joining(", ")));
            // The value that does not fit is in the message, and here it may hold a password.
            case JsonMappingException _ when where.contains("proxy") -> where + ": not a value of the documented type";
            case JsonMappingException mapping -> where.isEmpty() ? firstLine(e) : where + ": " + firstLine(mapping);
            default -> firstLine(e);
        };
    }

    private static String place(JsonProcessingException e) {
        if (!(e instanceof JsonMappingException mapping)) {
            return "";
        }
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference step : mapping.getPath()) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
            }
        }
        return path.toString();
    }

    private static String firstLine(JsonProcessingException e) {
        String line = e.getOriginalMessage().lines().findFirst().orElse("unreadable");
        JsonLocation location = e.getLocation();
        return location == null ? line : "%s (line %d)".formatted(line, location.getLineNr());
    }
}
