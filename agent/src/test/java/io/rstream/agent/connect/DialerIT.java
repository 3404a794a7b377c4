package io.rstream.agent.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.rstream.agent.fake.FakeService;
import io.rstream.protocol.BackgroundResolver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DialerIT {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Dialer dialer = new Dialer(new BackgroundResolver());

    @AfterEach
    void stop() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private Future<Channel> dial(String host, int port, Route route) {
        Future<Channel> dialed = dialer.dial(loops.next(), host, port, route, (_, _) -> {});
        dialed.awaitUninterruptibly(20, TimeUnit.SECONDS);
        return dialed;
    }

    @Test
    void connectsByName() throws Exception {
        try (FakeService service = FakeService.echo()) {
            Future<Channel> dialed = dial("web.localhost", service.port(), Route.within(Duration.ofSeconds(5)));

            assertThat(dialed.isSuccess()).isTrue();
            dialed.getNow().close().syncUninterruptibly();
        }
    }

    @Test
    void usesTheLocalAddressThatIsAskedFor() throws Exception {
        InetAddress local = InetAddress.getByAddress(new byte[] {127, 0, 0, 3});
        try (FakeService service = FakeService.echo()) {
            Future<Channel> dialed =
                    dial("127.0.0.1", service.port(), new Route(IpFamily.IPV4, local, Duration.ofSeconds(5)));

            assertThat(((InetSocketAddress) dialed.getNow().localAddress()).getAddress())
                    .isEqualTo(local);
            dialed.getNow().close().syncUninterruptibly();
        }
    }

    @Test
    void saysWhenThereIsNoAddressOfTheFamily() {
        Future<Channel> dialed = dial("127.0.0.1", 9, new Route(IpFamily.IPV6, null, Duration.ofSeconds(5)));

        assertThat(dialed.cause()).hasMessage("dial 127.0.0.1:9: it has no address of the wanted IP family");
    }

    @Test
    void saysThatAHostDoesNotExist() {
        Future<Channel> dialed = dial("does-not-exist.invalid", 9, Route.within(Duration.ofSeconds(15)));

        assertThat(dialed.cause())
                .isInstanceOf(DialException.class)
                .hasMessageStartingWith("dial does-not-exist.invalid:9: ");
    }
}
