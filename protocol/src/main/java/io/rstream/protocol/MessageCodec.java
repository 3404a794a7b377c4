package io.rstream.protocol;

import com.google.protobuf.BoolValue;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UInt32Value;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.EncoderException;
import io.rstream.protocol.wire.ClientInformation;
import io.rstream.protocol.wire.CloseControlChannelReq;
import io.rstream.protocol.wire.CloseControlChannelRsp;
import io.rstream.protocol.wire.CloseTunnelReq;
import io.rstream.protocol.wire.CloseTunnelRsp;
import io.rstream.protocol.wire.ControlChannelLiveness;
import io.rstream.protocol.wire.DatagramChannelCloseFrame;
import io.rstream.protocol.wire.Envelope;
import io.rstream.protocol.wire.Error;
import io.rstream.protocol.wire.HeartbeatFrame;
import io.rstream.protocol.wire.IpAddress;
import io.rstream.protocol.wire.OpenControlChannelReq;
import io.rstream.protocol.wire.OpenControlChannelRsp;
import io.rstream.protocol.wire.OpenTunnelReq;
import io.rstream.protocol.wire.OpenTunnelRsp;
import io.rstream.protocol.wire.ProxyConnReq;
import io.rstream.protocol.wire.ProxyConnRsp;
import io.rstream.protocol.wire.ProxyReq;
import io.rstream.protocol.wire.ProxyRsp;
import io.rstream.protocol.wire.ServerInformation;
import io.rstream.protocol.wire.ServerText;
import io.rstream.protocol.wire.StreamReq;
import io.rstream.protocol.wire.StreamRsp;
import io.rstream.protocol.wire.TunnelSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns messages into frames and payloads into messages (rstream protocol, sections 5 and 6). The only class that sees
 * the generated protobuf types; it is long because it has one short mapping for each of them. Thread-safe.
 */
final class MessageCodec {
    private static final WireError EMPTY_ANSWER =
            new WireError(WireError.UNSPECIFIED, "the answer says neither yes nor no");

    private MessageCodec() {}

    /**
     * The frame of a message, header included; the caller owns the buffer.
     *
     * @throws EncoderException when the message is longer than a frame may be
     */
    static ByteBuf encode(Message message, ByteBufAllocator allocator) {
        Envelope envelope = toWire(message);
        int size = envelope.getSerializedSize();
        if (size > WirePipeline.MAXIMUM_FRAME) {
            throw new EncoderException("%s of %d bytes does not fit in a frame; at most %d bytes are allowed"
                    .formatted(message.kind(), size, WirePipeline.MAXIMUM_FRAME));
        }
        ByteBuf frame = allocator.ioBuffer(WirePipeline.HEADER + size);
        frame.writeInt(size);
        ByteBuffer target = frame.nioBuffer(frame.writerIndex(), size);
        try {
            CodedOutputStream output = CodedOutputStream.newInstance(target);
            envelope.writeTo(output);
            output.flush();
        } catch (IOException e) {
            frame.release();
            throw new UncheckedIOException("the size computed for a message does not hold", e);
        }
        return frame.writerIndex(frame.writerIndex() + size);
    }

    /**
     * The message in the readable bytes of a payload, which are left unread.
     *
     * @throws MalformedFrameException when they are anything but one protobuf message of this protocol
     */
    static Message decode(ByteBuf payload) {
        try {
            return fromWire(Envelope.parseFrom(payload.nioBuffer()));
        } catch (InvalidProtocolBufferException e) {
            throw new MalformedFrameException(
                    "a frame of %d bytes is not a protobuf message: %s"
                            .formatted(payload.readableBytes(), e.getMessage()),
                    e);
        } catch (UnknownHostException | DateTimeException e) {
            throw new MalformedFrameException("a frame holds an impossible value: " + e.getMessage(), e);
        }
    }

    private static Envelope toWire(Message message) {
        Envelope.Builder envelope = Envelope.newBuilder();
        switch (message) {
            case Message.OpenControlChannelRequest m -> envelope.setOpenControlChannelReq(openControlChannel(m));
            case Message.OpenControlChannelAccepted m -> envelope.setOpenControlChannelRsp(accepted(m));
            case Message.OpenControlChannelRefused m ->
                envelope.setOpenControlChannelRsp(
                        OpenControlChannelRsp.newBuilder().setError(error(m.error())));
            case Message.CloseControlChannelRequest _ ->
                envelope.setCloseControlChannelReq(CloseControlChannelReq.getDefaultInstance());
            case Message.CloseControlChannelResponse _ ->
                envelope.setCloseControlChannelRsp(CloseControlChannelRsp.getDefaultInstance());
            case Message.OpenTunnelRequest m ->
                envelope.setOpenTunnelReq(OpenTunnelReq.newBuilder()
                        .setRequestId(m.requestId())
                        .setTunnelProperties(settings(m.properties())));
            case Message.OpenTunnelAccepted m ->
                envelope.setOpenTunnelRsp(OpenTunnelRsp.newBuilder()
                        .setRequestId(m.requestId())
                        .setTunnelProperties(settings(m.properties())));
            case Message.OpenTunnelRefused m ->
                envelope.setOpenTunnelRsp(
                        OpenTunnelRsp.newBuilder().setRequestId(m.requestId()).setError(error(m.error())));
            case Message.CloseTunnelRequest m ->
                envelope.setCloseTunnelReq(CloseTunnelReq.newBuilder().setTunnelId(m.tunnelId()));
            case Message.CloseTunnelResponse m ->
                envelope.setCloseTunnelRsp(CloseTunnelRsp.newBuilder().setTunnelId(m.tunnelId()));
            case Message.ProxyConnectionRequest m -> envelope.setProxyConnReq(proxyConnection(m));
            case Message.ProxyConnectionResponse m -> {
                ProxyConnRsp.Builder response = ProxyConnRsp.newBuilder().setStreamId(m.streamId());
                setError(m.error(), response::setError);
                envelope.setProxyConnRsp(response);
            }
            case Message.ProxyRequest m ->
                envelope.setProxyReq(ProxyReq.newBuilder()
                        .setClientDetails(client(m.client()))
                        .setStreamId(m.streamId())
                        .setZeroRtt(BoolValue.of(m.zeroRtt())));
            case Message.ProxyResponse m -> {
                ProxyRsp.Builder response = ProxyRsp.newBuilder();
                setError(m.error(), response::setError);
                envelope.setProxyRsp(response);
            }
            case Message.StreamRequest m -> envelope.setStreamReq(stream(m));
            case Message.StreamAccepted m ->
                envelope.setStreamRsp(StreamRsp.newBuilder().setStreamId(m.streamId()));
            case Message.StreamRefused m ->
                envelope.setStreamRsp(StreamRsp.newBuilder().setError(error(m.error())));
            case Message.Heartbeat m ->
                envelope.setHeartbeat(
                        HeartbeatFrame.newBuilder().setSequence(m.sequence()).setAcknowledgement(m.acknowledgement()));
            case Message.ServerMessage m ->
                envelope.setServerMessage(ServerText.newBuilder().setMessage(m.text()));
            case Message.DatagramChannelClose m -> {
                DatagramChannelCloseFrame.Builder close =
                        DatagramChannelCloseFrame.newBuilder().setStreamId(m.streamId());
                setError(m.error(), close::setError);
                envelope.setDatagramChannelClose(close);
            }
            case Message.Unknown _ -> {
                // An empty envelope is what such a message looks like.
            }
        }
        return envelope.build();
    }

    private static Message fromWire(Envelope envelope) throws UnknownHostException {
        return switch (envelope.getPayloadCase()) {
            case OPEN_CONTROL_CHANNEL_REQ -> {
                OpenControlChannelReq m = envelope.getOpenControlChannelReq();
                yield new Message.OpenControlChannelRequest(
                        client(m.getClientDetails()), m.hasLiveness() ? liveness(m.getLiveness()) : null);
            }
            case OPEN_CONTROL_CHANNEL_RSP -> opened(envelope.getOpenControlChannelRsp());
            case CLOSE_CONTROL_CHANNEL_REQ -> new Message.CloseControlChannelRequest();
            case CLOSE_CONTROL_CHANNEL_RSP -> new Message.CloseControlChannelResponse();
            case OPEN_TUNNEL_REQ -> {
                OpenTunnelReq m = envelope.getOpenTunnelReq();
                yield new Message.OpenTunnelRequest(m.getRequestId(), properties(m.getTunnelProperties()));
            }
            case OPEN_TUNNEL_RSP -> tunnelOpened(envelope.getOpenTunnelRsp());
            case CLOSE_TUNNEL_REQ ->
                new Message.CloseTunnelRequest(envelope.getCloseTunnelReq().getTunnelId());
            case CLOSE_TUNNEL_RSP ->
                new Message.CloseTunnelResponse(envelope.getCloseTunnelRsp().getTunnelId());
            case PROXY_CONN_REQ -> proxyConnection(envelope.getProxyConnReq());
            case PROXY_CONN_RSP -> {
                ProxyConnRsp m = envelope.getProxyConnRsp();
                yield new Message.ProxyConnectionResponse(m.getStreamId(), m.hasError() ? error(m.getError()) : null);
            }
            case PROXY_REQ -> {
                ProxyReq m = envelope.getProxyReq();
                yield new Message.ProxyRequest(
                        client(m.getClientDetails()),
                        m.getStreamId(),
                        m.getZeroRtt().getValue());
            }
            case PROXY_RSP -> {
                ProxyRsp m = envelope.getProxyRsp();
                yield new Message.ProxyResponse(m.hasError() ? error(m.getError()) : null);
            }
            case STREAM_REQ -> {
                StreamReq m = envelope.getStreamReq();
                yield new Message.StreamRequest(
                        client(m.getClientDetails()),
                        m.getTunnelIdName(),
                        m.getZeroRtt().getValue(),
                        m.getDatagramChannel().getValue());
            }
            case STREAM_RSP -> streamOpened(envelope.getStreamRsp());
            case HEARTBEAT -> {
                HeartbeatFrame m = envelope.getHeartbeat();
                yield new Message.Heartbeat(m.getSequence(), m.getAcknowledgement());
            }
            case SERVER_MESSAGE ->
                new Message.ServerMessage(envelope.getServerMessage().getMessage());
            case DATAGRAM_CHANNEL_CLOSE -> {
                DatagramChannelCloseFrame m = envelope.getDatagramChannelClose();
                yield new Message.DatagramChannelClose(m.getStreamId(), m.hasError() ? error(m.getError()) : null);
            }
            case PAYLOAD_NOT_SET -> new Message.Unknown();
        };
    }

    private static OpenControlChannelReq openControlChannel(Message.OpenControlChannelRequest m) {
        OpenControlChannelReq.Builder request =
                OpenControlChannelReq.newBuilder().setClientDetails(client(m.client()));
        if (m.liveness() != null) {
            request.setLiveness(liveness(m.liveness()));
        }
        return request.build();
    }

    private static OpenControlChannelRsp accepted(Message.OpenControlChannelAccepted m) {
        OpenControlChannelRsp.Ok.Builder ok =
                OpenControlChannelRsp.Ok.newBuilder().setClientId(m.clientId());
        if (m.server() != null) {
            ok.setServerDetails(server(m.server()));
        }
        if (m.liveness() != null) {
            ok.setLiveness(liveness(m.liveness()));
        }
        return OpenControlChannelRsp.newBuilder().setOk(ok).build();
    }

    private static Message opened(OpenControlChannelRsp m) {
        return switch (m.getPayloadCase()) {
            case OK -> {
                OpenControlChannelRsp.Ok ok = m.getOk();
                yield new Message.OpenControlChannelAccepted(
                        ok.getClientId(),
                        ok.hasServerDetails() ? server(ok.getServerDetails()) : null,
                        ok.hasLiveness() ? liveness(ok.getLiveness()) : null);
            }
            case ERROR -> new Message.OpenControlChannelRefused(error(m.getError()));
            case PAYLOAD_NOT_SET -> new Message.OpenControlChannelRefused(EMPTY_ANSWER);
        };
    }

    private static Message tunnelOpened(OpenTunnelRsp m) {
        return switch (m.getPayloadCase()) {
            case TUNNEL_PROPERTIES ->
                new Message.OpenTunnelAccepted(m.getRequestId(), properties(m.getTunnelProperties()));
            case ERROR -> new Message.OpenTunnelRefused(m.getRequestId(), error(m.getError()));
            case PAYLOAD_NOT_SET -> new Message.OpenTunnelRefused(m.getRequestId(), EMPTY_ANSWER);
        };
    }

    private static Message streamOpened(StreamRsp m) {
        return switch (m.getPayloadCase()) {
            case STREAM_ID -> new Message.StreamAccepted(m.getStreamId());
            case ERROR -> new Message.StreamRefused(error(m.getError()));
            case PAYLOAD_NOT_SET -> new Message.StreamRefused(EMPTY_ANSWER);
        };
    }

    private static ProxyConnReq proxyConnection(Message.ProxyConnectionRequest m) {
        ProxyConnReq.Builder request =
                ProxyConnReq.newBuilder().setTunnelId(m.tunnelId()).setStreamId(m.streamId());
        setText(m.secret(), request::setSecret);
        setText(m.proxyEndpoint(), request::setProxyEndpoint);
        if (m.sourceAddress() != null) {
            request.setSourceIp(address(m.sourceAddress()));
        }
        return request.build();
    }

    private static Message proxyConnection(ProxyConnReq m) throws UnknownHostException {
        return new Message.ProxyConnectionRequest(
                m.getTunnelId(),
                m.getStreamId(),
                m.hasSecret() ? m.getSecret().getValue() : null,
                address(m.getSourceIp()),
                m.hasProxyEndpoint() ? m.getProxyEndpoint().getValue() : null);
    }

    private static StreamReq stream(Message.StreamRequest m) {
        StreamReq.Builder request = StreamReq.newBuilder()
                .setClientDetails(client(m.client()))
                .setTunnelIdName(m.tunnel())
                .setZeroRtt(BoolValue.of(m.zeroRtt()));
        if (m.datagramChannel()) {
            request.setDatagramChannel(BoolValue.of(true));
        }
        return request.build();
    }

    private static IpAddress address(InetAddress address) {
        byte[] octets = address.getAddress();
        return octets.length == 4
                ? IpAddress.newBuilder().setV4(ByteBuffer.wrap(octets).getInt()).build()
                : IpAddress.newBuilder().setV6(ByteString.copyFrom(octets)).build();
    }

    private static @Nullable InetAddress address(IpAddress m) throws UnknownHostException {
        return switch (m.getAddrCase()) {
            case V4 ->
                InetAddress.getByAddress(
                        ByteBuffer.allocate(4).putInt(m.getV4()).array());
            case V6 -> {
                if (m.getV6().size() != 16) {
                    throw new UnknownHostException(
                            "an IPv6 address has 16 bytes, not " + m.getV6().size());
                }
                yield InetAddress.getByAddress(m.getV6().toByteArray());
            }
            case ADDR_NOT_SET -> null;
        };
    }

    private static ClientInformation client(ClientDetails client) {
        ClientInformation.Builder m = ClientInformation.newBuilder();
        setText(client.agent(), m::setAgent);
        setText(client.channel(), m::setChannel);
        setText(client.version(), m::setVersion);
        setText(client.operatingSystem(), m::setOs);
        setText(client.architecture(), m::setArch);
        setText(client.token(), m::setToken);
        setText(client.protocolVersion(), m::setProtocolVersion);
        return m.build();
    }

    private static ClientDetails client(ClientInformation m) {
        return new ClientDetails(
                m.hasAgent() ? m.getAgent().getValue() : null,
                m.hasChannel() ? m.getChannel().getValue() : null,
                m.hasVersion() ? m.getVersion().getValue() : null,
                m.hasOs() ? m.getOs().getValue() : null,
                m.hasArch() ? m.getArch().getValue() : null,
                m.hasToken() ? m.getToken().getValue() : null,
                m.hasProtocolVersion() ? m.getProtocolVersion().getValue() : null);
    }

    private static ServerInformation server(ServerDetails server) {
        ServerInformation.Builder m = ServerInformation.newBuilder();
        setText(server.agent(), m::setAgent);
        setText(server.channel(), m::setChannel);
        setText(server.version(), m::setVersion);
        setText(server.plan(), m::setPlan);
        setText(server.provider(), m::setProvider);
        setText(server.region(), m::setRegion);
        setText(server.update(), m::setUpdate);
        return m.build();
    }

    private static ServerDetails server(ServerInformation m) {
        return new ServerDetails(
                m.hasAgent() ? m.getAgent().getValue() : null,
                m.hasChannel() ? m.getChannel().getValue() : null,
                m.hasVersion() ? m.getVersion().getValue() : null,
                m.hasPlan() ? m.getPlan().getValue() : null,
                m.hasProvider() ? m.getProvider().getValue() : null,
                m.hasRegion() ? m.getRegion().getValue() : null,
                m.hasUpdate() ? m.getUpdate().getValue() : null);
    }

    private static ControlChannelLiveness liveness(Liveness liveness) {
        return ControlChannelLiveness.newBuilder()
                .setHeartbeatIntervalMs(liveness.intervalMillis())
                .setHeartbeatTimeoutMs(liveness.timeoutMillis())
                .build();
    }

    private static Liveness liveness(ControlChannelLiveness m) {
        return new Liveness(clamp(m.getHeartbeatIntervalMs()), clamp(m.getHeartbeatTimeoutMs()));
    }

    private static Error error(WireError error) {
        Error.Builder m = Error.newBuilder().setCode(error.code());
        setText(error.message(), m::setMessage);
        return m.build();
    }

    private static WireError error(Error m) {
        return new WireError(m.getCode(), m.hasMessage() ? m.getMessage().getValue() : null);
    }

    private static TunnelSettings settings(TunnelProperties p) {
        TunnelSettings.Builder m = TunnelSettings.newBuilder()
                .putAllLabels(p.labels())
                .addAllGeoip(p.geoip())
                .addAllTrustedIps(p.trustedIps())
                .addAllTlsAlpns(p.tlsAlpns())
                .addAllTlsCiphers(p.tlsCiphers());
        setText(p.id(), m::setId);
        if (p.creationDate() != null) {
            m.setCreationDate(timestamp(p.creationDate()));
        }
        setText(p.name(), m::setName);
        setText(p.type(), m::setType);
        setFlag(p.publish(), m::setPublish);
        setText(p.protocol(), m::setProtocol);
        setText(p.host(), m::setHost);
        setText(p.tlsMode(), m::setTlsMode);
        setText(p.tlsMinVersion(), m::setTlsMinVersion);
        setFlag(p.mtlsAuth(), m::setMtlsAuth);
        setText(p.mtlsCacertPem(), m::setMtlsCacertPem);
        setText(p.httpVersion(), m::setHttpVersion);
        setFlag(p.httpUseTls(), m::setHttpUseTls);
        setFlag(p.tokenAuth(), m::setTokenAuth);
        setFlag(p.rstreamAuth(), m::setRstreamAuth);
        setFlag(p.challengeMode(), m::setChallengeMode);
        setText(p.hostname(), m::setHostname);
        if (p.port() != null) {
            m.setPort(UInt32Value.of(p.port()));
        }
        setFlag(p.upstreamTls(), m::setUpstreamTls);
        setFlag(p.datagramGuaranteedDelivery(), m::setDatagramGuaranteedDelivery);
        setFlag(p.allowCrossRegionRouting(), m::setAllowCrossRegionRouting);
        return m.build();
    }

    private static TunnelProperties properties(TunnelSettings m) {
        return TunnelProperties.builder()
                .id(m.hasId() ? m.getId().getValue() : null)
                .creationDate(m.hasCreationDate() ? instant(m.getCreationDate()) : null)
                .name(m.hasName() ? m.getName().getValue() : null)
                .type(m.hasType() ? m.getType().getValue() : null)
                .publish(m.hasPublish() ? m.getPublish().getValue() : null)
                .protocol(m.hasProtocol() ? m.getProtocol().getValue() : null)
                .labels(m.getLabelsMap())
                .geoip(m.getGeoipList())
                .trustedIps(m.getTrustedIpsList())
                .host(m.hasHost() ? m.getHost().getValue() : null)
                .tlsMode(m.hasTlsMode() ? m.getTlsMode().getValue() : null)
                .tlsAlpns(m.getTlsAlpnsList())
                .tlsMinVersion(m.hasTlsMinVersion() ? m.getTlsMinVersion().getValue() : null)
                .tlsCiphers(m.getTlsCiphersList())
                .mtlsAuth(m.hasMtlsAuth() ? m.getMtlsAuth().getValue() : null)
                .mtlsCacertPem(m.hasMtlsCacertPem() ? m.getMtlsCacertPem().getValue() : null)
                .httpVersion(m.hasHttpVersion() ? m.getHttpVersion().getValue() : null)
                .httpUseTls(m.hasHttpUseTls() ? m.getHttpUseTls().getValue() : null)
                .tokenAuth(m.hasTokenAuth() ? m.getTokenAuth().getValue() : null)
                .rstreamAuth(m.hasRstreamAuth() ? m.getRstreamAuth().getValue() : null)
                .challengeMode(m.hasChallengeMode() ? m.getChallengeMode().getValue() : null)
                .hostname(m.hasHostname() ? m.getHostname().getValue() : null)
                .port(m.hasPort() ? clamp(m.getPort().getValue()) : null)
                .upstreamTls(m.hasUpstreamTls() ? m.getUpstreamTls().getValue() : null)
                .datagramGuaranteedDelivery(
                        m.hasDatagramGuaranteedDelivery()
                                ? m.getDatagramGuaranteedDelivery().getValue()
                                : null)
                .allowCrossRegionRouting(
                        m.hasAllowCrossRegionRouting()
                                ? m.getAllowCrossRegionRouting().getValue()
                                : null)
                .build();
    }

    private static Timestamp timestamp(Instant instant) {
        long seconds = instant.getEpochSecond();
        int nanos = instant.getNano();
        return Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos).build();
    }

    private static Instant instant(Timestamp m) {
        return Instant.ofEpochSecond(m.getSeconds(), m.getNanos());
    }

    private static int clamp(int unsigned) {
        return unsigned < 0 ? Integer.MAX_VALUE : unsigned;
    }

    private static void setText(@Nullable String value, Consumer<StringValue> setter) {
        if (value != null) {
            setter.accept(StringValue.of(value));
        }
    }

    private static void setFlag(@Nullable Boolean value, Consumer<BoolValue> setter) {
        if (value != null) {
            setter.accept(BoolValue.of(value));
        }
    }

    private static void setError(@Nullable WireError value, Consumer<Error> setter) {
        if (value != null) {
            setter.accept(error(value));
        }
    }
}
