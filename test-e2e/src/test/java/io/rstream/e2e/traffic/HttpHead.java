package io.rstream.e2e.traffic;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Start line and fields of one HTTP/1.1 message exactly as they were on the wire, and the ways to read what follows them
 * (RFC 9112, sections 2 to 7).
 *
 * @param startLine request line or status line
 * @param fields the field lines in order, names as they were written
 */
public record HttpHead(String startLine, List<Field> fields) {

    /** One field line. */
    public record Field(String name, String value) {}

    /** Reads up to the empty line; empty when the stream ends before the first byte. */
    public static Optional<HttpHead> read(InputStream in) throws IOException {
        String startLine = readLine(in);
        if (startLine == null) {
            return Optional.empty();
        }
        return Optional.of(new HttpHead(startLine, readFields(in)));
    }

    /** Field lines up to the empty line: the rest of a head, or trailers. */
    public static List<Field> readFields(InputStream in) throws IOException {
        List<Field> fields = new ArrayList<>();
        for (String line = required(in); !line.isEmpty(); line = required(in)) {
            int colon = line.indexOf(':');
            fields.add(new Field(
                    line.substring(0, colon), line.substring(colon + 1).strip()));
        }
        return fields;
    }

    /** The next chunk's content; empty for the last chunk, after which trailers follow. */
    public static byte[] readChunk(InputStream in) throws IOException {
        int length = Integer.parseInt(required(in).split(";")[0].strip(), 16);
        byte[] content = in.readNBytes(length);
        if (content.length < length) {
            throw new EOFException("the stream ended inside a chunk");
        }
        if (length > 0) {
            required(in);
        }
        return content;
    }

    /** All chunks; trailers are left in the stream. */
    public static byte[] readChunks(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] chunk = readChunk(in); chunk.length > 0; chunk = readChunk(in)) {
            all.write(chunk);
        }
        return all.toByteArray();
    }

    /** The first field of this name, case ignored. */
    public Optional<String> field(String name) {
        return fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .map(Field::value)
                .findFirst();
    }

    /** Every value of this name, case ignored. */
    public List<String> values(String name) {
        return fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .map(Field::value)
                .toList();
    }

    /** Whether the body comes in chunks. */
    public boolean chunked() {
        return field("Transfer-Encoding")
                .map(value -> value.toLowerCase(Locale.ROOT).contains("chunked"))
                .orElse(false);
    }

    /** The whole body: by chunks (and their trailers), by length, else nothing. */
    public byte[] readBody(InputStream in) throws IOException {
        if (chunked()) {
            byte[] body = readChunks(in);
            readFields(in);
            return body;
        }
        int length = field("Content-Length").map(Integer::parseInt).orElse(0);
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the stream ended after %d of %d bytes".formatted(body.length, length));
        }
        return body;
    }

    private static String required(InputStream in) throws IOException {
        String line = readLine(in);
        if (line == null) {
            throw new EOFException("the stream ended inside a message");
        }
        return line;
    }

    private static String readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                if (line.size() == 0) {
                    return null;
                }
                throw new EOFException(
                        "the stream ended inside the line: " + line.toString(StandardCharsets.ISO_8859_1));
            }
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }
}
