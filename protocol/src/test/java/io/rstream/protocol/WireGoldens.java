package io.rstream.protocol;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;

/** The byte examples of rstream protocol, section 24, in hexadecimal, with the message that each one means. */
final class WireGoldens {
    private static final String REQUEST_ID = "11111111-2222-4333-8444-555555555555";
    private static final String REQUEST_ID_HEX =
            "31 31 31 31 31 31 31 31 2D 32 32 32 32 2D 34 33 33 33 2D 38 34 34 34 2D 35 35 35 35 35 35 35 35 35 35 35 35";
    private static final String STREAM_ID = "0123456789abcdef01234567";
    private static final String STREAM_ID_HEX =
            "30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66 30 31 32 33 34 35 36 37";
    private static final ClientDetails CLIENT =
            new ClientDetails("rstream", "stable", "1.28.2", "linux", "amd64", "TOKEN", "1.4.5");
    private static final String CLIENT_START_HEX = """
            0A 09 0A 07 72 73 74 72 65 61 6D
            12 08 0A 06 73 74 61 62 6C 65
            1A 08 0A 06 31 2E 32 38 2E 32
            22 07 0A 05 6C 69 6E 75 78
            2A 07 0A 05 61 6D 64 36 34
            """;
    private static final String CLIENT_HEX = CLIENT_START_HEX + "32 07 0A 05 54 4F 4B 45 4E 3A 07 0A 05 31 2E 34 2E 35";

    private WireGoldens() {}

    /** A frame and its meaning. */
    record Golden(String section, String hex, Message message) {
        byte[] bytes() {
            return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
        }

        @Override
        public String toString() {
            return section + " " + message.kind();
        }
    }

    static List<Golden> all() {
        return List.of(
                new Golden(
                        "24.1",
                        "00 00 00 4C 0A 4A 0A 43" + CLIENT_HEX + "12 03 08 88 27",
                        new Message.OpenControlChannelRequest(CLIENT, Liveness.request(5000))),
                new Golden(
                        "24.2 accepted",
                        """
                        00 00 00 1C 12 1A 0A 18 0A 02 63 31 12 0A 0A 08 0A 06 65 6E 67 69 6E 65 1A 06 08 88 27 10 98 75
                        """,
                        new Message.OpenControlChannelAccepted(
                                "c1",
                                new ServerDetails("engine", null, null, null, null, null, null),
                                new Liveness(5000, 15_000))),
                new Golden(
                        "24.2 refused",
                        "00 00 00 17 12 15 12 13 08 E8 07 12 0E 0A 0C 75 6E 61 75 74 68 6F 72 69 7A 65 64",
                        new Message.OpenControlChannelRefused(new WireError(WireError.UNAUTHORIZED, "unauthorized"))),
                new Golden("24.3 legacy", "00 00 00 02 7A 00", Message.Heartbeat.EMPTY),
                new Golden("24.3 client", "00 00 00 04 7A 02 08 01", new Message.Heartbeat(1, 0)),
                new Golden("24.3 engine", "00 00 00 04 7A 02 10 01", new Message.Heartbeat(0, 1)),
                new Golden("24.3 client 300", "00 00 00 05 7A 03 08 AC 02", new Message.Heartbeat(300, 0)),
                new Golden(
                        "24.4 published",
                        "00 00 00 36 2A 34 0A 24" + REQUEST_ID_HEX + "12 0C 2A 02 08 01 32 06 0A 04 68 74 74 70",
                        new Message.OpenTunnelRequest(
                                REQUEST_ID,
                                TunnelProperties.builder()
                                        .publish(true)
                                        .protocol("http")
                                        .build())),
                new Golden(
                        "24.4 private",
                        "00 00 00 32 2A 30 0A 24" + REQUEST_ID_HEX + "12 08 1A 04 0A 02 64 62 2A 00",
                        new Message.OpenTunnelRequest(
                                REQUEST_ID,
                                TunnelProperties.builder()
                                        .name("db")
                                        .publish(false)
                                        .build())),
                new Golden(
                        "24.5 accepted",
                        "00 00 00 64 32 62 0A 24" + REQUEST_ID_HEX + """
                                12 3A 0A 04 0A 02 74 31 22 0C 0A 0A 62 79 74 65 73 74 72 65 61 6D 2A 02 08 01
                                32 06 0A 04 68 74 74 70 B2 01 11 0A 0F 61 2E 74 2E 65 78 61 6D 70 6C 65 2E 63 6F 6D
                                BA 01 03 08 BB 03
                                """,
                        new Message.OpenTunnelAccepted(
                                REQUEST_ID,
                                TunnelProperties.builder()
                                        .id("t1")
                                        .type("bytestream")
                                        .publish(true)
                                        .protocol("http")
                                        .hostname("a.t.example.com")
                                        .port(443)
                                        .build())),
                new Golden(
                        "24.5 refused",
                        "00 00 00 34 32 32 0A 24" + REQUEST_ID_HEX + "1A 0A 08 D0 0F 12 05 0A 03 62 61 64",
                        new Message.OpenTunnelRefused(REQUEST_ID, new WireError(WireError.INVALID_REQUEST, "bad"))),
                new Golden("24.6", "00 00 00 06 3A 04 0A 02 74 31", new Message.CloseTunnelRequest("t1")),
                new Golden("24.6", "00 00 00 06 42 04 0A 02 74 31", new Message.CloseTunnelResponse("t1")),
                new Golden("24.6", "00 00 00 02 1A 00", new Message.CloseControlChannelRequest()),
                new Golden("24.6", "00 00 00 02 22 00", new Message.CloseControlChannelResponse()),
                new Golden(
                        "24.7",
                        "00 00 00 31 4A 2F 0A 02 74 31 12 18" + STREAM_ID_HEX
                                + "1A 08 0A 06 73 33 63 72 33 74 22 05 0D 0A 02 00 C0",
                        new Message.ProxyConnectionRequest("t1", STREAM_ID, "s3cr3t", address("192.0.2.10"), null)),
                new Golden(
                        "24.7 zero-RTT",
                        "00 00 00 66 5A 64 0A 44" + CLIENT_START_HEX
                                + "32 08 0A 06 73 33 63 72 33 74 3A 07 0A 05 31 2E 34 2E 35 12 18" + STREAM_ID_HEX
                                + "1A 02 08 01",
                        new Message.ProxyRequest(CLIENT.withToken("s3cr3t"), STREAM_ID, true)),
                new Golden(
                        "24.7 zero-RTT off",
                        "00 00 00 64 5A 62 0A 44" + CLIENT_START_HEX
                                + "32 08 0A 06 73 33 63 72 33 74 3A 07 0A 05 31 2E 34 2E 35 12 18" + STREAM_ID_HEX
                                + "1A 00",
                        new Message.ProxyRequest(CLIENT.withToken("s3cr3t"), STREAM_ID, false)),
                new Golden("24.7", "00 00 00 02 62 00", new Message.ProxyResponse(null)),
                new Golden(
                        "24.7 error",
                        "00 00 00 07 62 05 0A 03 08 A0 1F",
                        new Message.ProxyResponse(new WireError(WireError.INVALID_STREAM, null))),
                new Golden(
                        "24.7 accepted",
                        "00 00 00 1C 52 1A 0A 18" + STREAM_ID_HEX,
                        new Message.ProxyConnectionResponse(STREAM_ID, null)),
                new Golden(
                        "24.7 refused",
                        "00 00 00 21 52 1F 0A 18" + STREAM_ID_HEX + "12 03 08 F0 2E",
                        new Message.ProxyConnectionResponse(
                                STREAM_ID, new WireError(WireError.SERVICE_UNAVAILABLE, null))),
                new Golden(
                        "24.8",
                        "00 00 00 4D 6A 4B 0A 43" + CLIENT_HEX + "12 02 64 62 1A 00",
                        new Message.StreamRequest(CLIENT, "db", false, false)),
                new Golden(
                        "24.8 accepted",
                        "00 00 00 1C 72 1A 0A 18" + STREAM_ID_HEX,
                        new Message.StreamAccepted(STREAM_ID)),
                new Golden(
                        "24.8 refused",
                        "00 00 00 07 72 05 12 03 08 B8 17",
                        new Message.StreamRefused(new WireError(WireError.TUNNEL_NOT_FOUND, null))),
                new Golden(
                        "24.8 datagram channel",
                        """
                        00 00 00 20 6A 1E 0A 12 32 07 0A 05 54 4F 4B 45 4E 3A 07 0A 05 31 2E 34 2E 35
                        12 02 64 62 1A 00 22 02 08 01
                        """,
                        new Message.StreamRequest(
                                new ClientDetails(null, null, null, null, null, "TOKEN", "1.4.5"), "db", false, true)),
                new Golden(
                        "24.9",
                        "00 00 00 1D 8A 01 1A 0A 18" + STREAM_ID_HEX,
                        new Message.DatagramChannelClose(STREAM_ID, null)),
                new Golden("24.10", "00 00 00 07 82 01 04 0A 02 68 69", new Message.ServerMessage("hi")));
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
