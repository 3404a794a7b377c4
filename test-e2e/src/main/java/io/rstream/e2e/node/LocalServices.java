package io.rstream.e2e.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Stands in for cluster DNS and kube-proxy: gives each Service a loopback address of its own, so that local servers can listen on
 * the Service's own port numbers, and writes the hosts file that agents resolve names with. Safe for use from any thread.
 */
public final class LocalServices {

    private static final int MOST = 250;

    private final Path hostsFile;
    // Two random bytes, so that another quickstart or test run on this machine does not meet our port numbers.
    private final byte[] network = {
        127,
        (byte) ThreadLocalRandom.current().nextInt(64, 255),
        (byte) ThreadLocalRandom.current().nextInt(1, 255)
    };
    private final Map<String, InetAddress> addresses = new LinkedHashMap<>(); // Guarded by this.
    private int allocated;

    /** Writes an empty hosts file; the directory must exist. */
    public LocalServices(Path directory) {
        this.hostsFile = directory.resolve("hosts");
        write();
    }

    /** The address on which a local server stands in for the Service; the same each time, known to agents from now on. */
    public synchronized InetAddress publish(String namespace, String service) {
        var key = service + "." + namespace;
        var known = addresses.get(key);
        if (known != null) {
            return known;
        }
        var address = nextAddress();
        addresses.put(key, address);
        write();
        return address;
    }

    /** Forgets a Service: its name no longer resolves in agents (which may remember it for half a minute). */
    public synchronized void withdraw(String namespace, String service) {
        addresses.remove(service + "." + namespace);
        write();
    }

    /** For the JDK's property {@code jdk.net.hosts.file}. */
    Path hostsFile() {
        return hostsFile;
    }

    private InetAddress nextAddress() {
        if (allocated == MOST) {
            throw new IllegalStateException("more than " + MOST + " local Services were published");
        }
        allocated++;
        try {
            return InetAddress.getByAddress(new byte[] {network[0], network[1], network[2], (byte) allocated});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    private synchronized void write() {
        var text = new StringBuilder("127.0.0.1 localhost\n");
        addresses.forEach((name, address) -> text.append(address.getHostAddress())
                .append(' ')
                .append(name + ".svc ")
                .append(name + ".svc.cluster.local\n"));
        try {
            var next = Files.writeString(hostsFile.resolveSibling("hosts.next"), text);
            Files.move(next, hostsFile, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + hostsFile + ": " + e.getMessage(), e);
        }
    }
}
