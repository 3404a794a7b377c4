package io.rstream.engine.tunnels;

import io.rstream.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/** A session without a connection. */
public final class OwnerFake implements TunnelOwner {
    public final List<Message> sent = new ArrayList<>();
    public boolean online = true;
    private final String principal;
    public boolean accepting = true;

    public OwnerFake() {
        this("somebody");
    }

    public OwnerFake(String principal) {
        this.principal = principal;
    }

    @Override
    public String clientId() {
        return "cli_1";
    }

    @Override
    public String principal() {
        return principal;
    }

    @Override
    public String user() {
        return "user";
    }

    @Override
    public boolean online() {
        return online;
    }

    @Override
    public boolean accepting() {
        return accepting;
    }

    @Override
    public long lastHeardNanos() {
        return 0;
    }

    @Override
    public long usualSilenceNanos() {
        return 0;
    }

    @Override
    public void send(Message message) {
        sent.add(message);
    }

    @Override
    public void lost(Tunnel tunnel) {
        throw new IllegalStateException("nobody takes tunnels over here");
    }
}
