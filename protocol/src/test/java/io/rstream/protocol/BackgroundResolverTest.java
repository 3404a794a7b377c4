package io.rstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names come from src/test/resources/hosts, which the JVM of the tests is given as jdk.net.hosts.file. */
class BackgroundResolverTest {
    private final Loopback loopback = new Loopback();
    private final BackgroundResolver resolvers = new BackgroundResolver();

    @AfterEach
    void stop() throws Exception {
        resolvers.close();
        loopback.close();
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 127.0.0.1",
        "web.t.localhost, 127.0.0.1",
        "WEB.LOCALHOST., 127.0.0.1",
        "web.shop.svc, 127.0.0.2",
        "127.0.0.3, 127.0.0.3"
    })
    void findsAddresses(String name, String expected) throws Exception {
        InetSocketAddress resolved = resolve(name);

        assertThat(resolved.getAddress().getHostAddress()).isEqualTo(expected);
        assertThat(resolved.getPort()).isEqualTo(80);
    }

    @Test
    void findsBothLoopbackAddresses() throws Exception {
        EventLoop loop = loop();

        List<InetSocketAddress> all = resolvers
                .getResolver(loop)
                .resolveAll(InetSocketAddress.createUnresolved("web.localhost", 80))
                .get(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS);

        assertThat(all).hasSize(2).allMatch(address -> address.getAddress().isLoopbackAddress());
    }

    @Test
    void saysThatANameIsUnknown() {
        assertThatThrownBy(() -> resolve("nobody.invalid")).hasCauseInstanceOf(UnknownHostException.class);
    }

    private InetSocketAddress resolve(String name) throws Exception {
        return resolvers
                .getResolver(loop())
                .resolve(InetSocketAddress.createUnresolved(name, 80))
                .get(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private EventLoop loop() {
        EventLoopGroup group = loopback.loop();
        return group.next();
    }
}
