package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.rstream.protocol.TransportSecurity.ClientCertificate;
import io.rstream.protocol.TransportSecurity.Engine;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransportSecurityIT {
    private static final List<String> RSTREAM = List.of(TransportSecurity.ALPN_RSTREAM);

    @TempDir
    Path directory;

    @TempDir
    Path otherDirectory;

    private final Loopback loopback = new Loopback();
    private CertificateFiles files;

    /** Both ends of one handshake that succeeded. */
    private record Session(SslHandler client, SslHandler server) {}

    @BeforeEach
    void createCertificate() {
        files = TestCertificate.ec().in(directory);
    }

    @AfterEach
    void closeConnections() throws Exception {
        loopback.close();
    }

    @ParameterizedTest
    @EnumSource
    void clientAndServerAgreeOnTheNativeProtocol(Engine engine) throws Exception {
        SslContext server = server(List.of("h2", TransportSecurity.ALPN_RSTREAM), ClientCertificate.OPTIONAL, engine);

        Session session = handshake(server, client(trusted(), null), "localhost");

        assertThat(session.client().applicationProtocol()).isEqualTo("rstrm/1");
        assertThat(session.server().applicationProtocol()).isEqualTo("rstrm/1");
        assertThat(session.client().engine().getSession().getProtocol()).isEqualTo("TLSv1.3");
    }

    @Test
    void theNameOfTheServerTravelsEvenWithASingleLabel() throws Exception {
        SslContext server = server(RSTREAM, ClientCertificate.NONE, Engine.JDK);

        Session session = handshake(server, client(trusted(), null), "localhost");

        assertThat(((ExtendedSSLSession) session.server().engine().getSession()).getRequestedServerNames())
                .containsExactly(new SNIHostName("localhost"));
    }

    @ParameterizedTest
    @EnumSource
    void anyClientCertificateIsHandedToTheCaller(Engine engine) throws Exception {
        CertificateFiles identity = TestCertificate.rsa().in(otherDirectory);
        SslContext server = server(RSTREAM, ClientCertificate.OPTIONAL, engine);

        Session with = handshake(server, client(trusted(), identity), "localhost");
        Session without = handshake(server, client(trusted(), null), "localhost");

        assertThat(with.server().engine().getSession().getPeerCertificates())
                .containsExactly(
                        PemFile.read(identity.certificateChain()).certificates().getFirst());
        assertThatThrownBy(() -> without.server().engine().getSession().getPeerCertificates())
                .isInstanceOf(SSLPeerUnverifiedException.class);
    }

    @Test
    void anAddressIsCheckedAgainstTheCertificateToo() throws Exception {
        SslContext server = server(RSTREAM, ClientCertificate.NONE, Engine.JDK);

        Session session = handshake(server, client(trusted(), null), "127.0.0.1");

        assertThat(session.client().handshakeFuture().isSuccess()).isTrue();
    }

    @Test
    void aServerOfAnotherNameIsRefusedUnlessTrustIsInsecure() throws Exception {
        SslContext server = server(RSTREAM, ClientCertificate.NONE, Engine.JDK);

        assertThatThrownBy(() -> handshake(server, client(trusted(), null), "engine.example.com"))
                .hasCauseInstanceOf(SSLException.class);
        Session insecure = handshake(server, client(new Trust.Insecure(), null), "engine.example.com");

        assertThat(insecure.client().handshakeFuture().isSuccess()).isTrue();
    }

    @Test
    void anUnknownServerIsRefused() throws Exception {
        CertificateFiles other = TestCertificate.ec().in(otherDirectory);
        SslContext server = server(RSTREAM, ClientCertificate.NONE, Engine.JDK);

        assertThatThrownBy(
                        () -> handshake(server, client(new Trust.Bundle(other.certificateChain()), null), "localhost"))
                .hasCauseInstanceOf(SSLException.class);
        assertThatThrownBy(() -> handshake(server, client(new Trust.SystemRoots(), null), "localhost"))
                .hasCauseInstanceOf(SSLException.class);
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        CertificateFiles mixed = new CertificateFiles(
                files.certificateChain(),
                Files.writeString(
                        directory.resolve("other.key"), TestCertificate.ec().pkcs8Pem()));

        assertThatThrownBy(() -> TransportSecurity.server(
                        mixed, RSTREAM, ClientCertificate.NONE, TlsVersion.TLS_1_3, Engine.JDK))
                .hasMessageContaining("other.key")
                .hasMessageContaining("tls.crt")
                .hasMessageContaining("does not belong");
    }

    private Trust trusted() {
        return new Trust.Bundle(files.certificateChain());
    }

    private SslContext server(List<String> alpns, ClientCertificate clientCertificate, Engine engine) throws Exception {
        return TransportSecurity.server(files, alpns, clientCertificate, TlsVersion.TLS_1_3, engine);
    }

    private static SslContext client(Trust trust, CertificateFiles identity) throws Exception {
        return TransportSecurity.client(trust, identity, RSTREAM, TlsVersion.TLS_1_3);
    }

    private Session handshake(SslContext server, SslContext client, String name) throws Exception {
        EventLoopGroup loop = loopback.loop();
        CompletableFuture<SslHandler> accepted = new CompletableFuture<>();
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        SslHandler handler = server.newHandler(channel.alloc());
                        channel.pipeline().addLast(handler);
                        accepted.complete(handler);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        CompletableFuture<SslHandler> dialed = new CompletableFuture<>();
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        SslHandler handler = TransportSecurity.clientHandler(client, channel.alloc(), name, port);
                        channel.pipeline().addLast(handler);
                        dialed.complete(handler);
                    }
                })
                .connect(listener.localAddress())
                .sync();
        SslHandler clientHandler = dialed.get();
        clientHandler.handshakeFuture().get(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS);
        SslHandler serverHandler = accepted.get();
        serverHandler.handshakeFuture().get(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS);
        return new Session(clientHandler, serverHandler);
    }
}
