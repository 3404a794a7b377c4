package io.rstream.engine.listen;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the ALPN names that a TLS ClientHello offers (RFC 8446, section 4.1.2; RFC 7301, section 3.1). */
final class ClientHello {
    private static final int VERSION_AND_RANDOM = 34;
    private static final int EXTENSION_ALPN = 16;

    private ClientHello() {}

    /**
     * The names in the order of the client; empty when there are none or the hello is malformed, which TLS itself will then
     * find out.
     *
     * @param hello the ClientHello without the handshake header; its indexes stay as they are
     */
    static List<String> alpnNames(ByteBuf hello) {
        try {
            return read(hello.slice());
        } catch (IndexOutOfBoundsException malformed) {
            return List.of();
        }
    }

    private static List<String> read(ByteBuf in) {
        in.skipBytes(VERSION_AND_RANDOM);
        in.skipBytes(in.readUnsignedByte());
        in.skipBytes(in.readUnsignedShort());
        in.skipBytes(in.readUnsignedByte());
        ByteBuf extensions = in.readSlice(in.readUnsignedShort());
        while (extensions.isReadable()) {
            int type = extensions.readUnsignedShort();
            ByteBuf extension = extensions.readSlice(extensions.readUnsignedShort());
            if (type == EXTENSION_ALPN) {
                return names(extension.readSlice(extension.readUnsignedShort()));
            }
        }
        return List.of();
    }

    private static List<String> names(ByteBuf list) {
        List<String> names = new ArrayList<>();
        while (list.isReadable()) {
            int length = list.readUnsignedByte();
            names.add(list.readCharSequence(length, StandardCharsets.US_ASCII).toString());
        }
        return names;
    }
}
