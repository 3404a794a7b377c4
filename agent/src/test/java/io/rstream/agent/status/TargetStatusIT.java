package io.rstream.agent.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rstream.agent.connect.Dialer;
import io.rstream.agent.log.TunnelName;
import io.rstream.agent.session.OnlineTunnel;
import io.rstream.agent.session.TunnelEvent;
import io.rstream.agent.stream.TargetMonitor;
import io.rstream.agent.stream.Upstream;
import io.rstream.protocol.BackgroundResolver;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Service that goes away and comes back, in the status of a tunnel on the real API server. */
class TargetStatusIT {
    private static final TargetMonitor.Timings QUICK =
            new TargetMonitor.Timings(3, Duration.ofMillis(100), Duration.ofMillis(100));

    @TempDir
    private Path directory;

    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @Tag("parity-146")
    @Test
    void theStatusSaysThatTheServiceIsAwayUntilItIsBack() throws Exception {
        int port = freePort();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (SharedTunnel tunnel = SharedTunnel.in(directory);
                StatusReporter reporter = tunnel.agent("pod", SharedTunnel.WANTED)) {
            EventLoop loop = loops.next();
            Upstream service =
                    new Upstream(new Dialer(new BackgroundResolver()), "127.0.0.1", port, Duration.ofSeconds(5));
            TargetMonitor monitor =
                    TargetMonitor.of(service, loop, QUICK, new TunnelName("shop", "web"), reporter::target);
            reporter.accept(new TunnelEvent.Online(new OnlineTunnel("t", "https://a")));

            for (int i = 0; i < 3; i++) {
                monitor.dial(loop, Duration.ofSeconds(5)).await();
            }

            await().untilAsserted(() -> assertThat(
                            tunnel.status().at("/agent/targetError").asText())
                    .isEqualTo("cannot connect to 127.0.0.1:%d: connection refused".formatted(port)));
            assertThat(tunnel.report()).isEqualTo("pod TunnelOnline");
            try (ServerSocket back = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                await().untilAsserted(
                                () -> assertThat(tunnel.status().path("agent").has("targetError"))
                                        .isFalse());
                assertThat(back.isBound()).isTrue();
            }
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
