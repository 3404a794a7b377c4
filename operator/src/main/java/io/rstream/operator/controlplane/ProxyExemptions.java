package io.rstream.operator.controlplane;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The entries of NO_PROXY, in the form that Go programs and curl read: {@code *}, a host name with its subdomains, {@code .name}
 * for the subdomains alone, an address, or a network; each of the first four with or without a port.
 *
 * @param entries the entries in lower case
 */
record ProxyExemptions(List<String> entries) {

    ProxyExemptions {
        entries = List.copyOf(entries);
    }

    static ProxyExemptions parse(String text) {
        return new ProxyExemptions(Stream.of(text.split("[,\\s]+"))
                .map(entry -> entry.toLowerCase(Locale.ROOT))
                .filter(entry -> !entry.isEmpty())
                .toList());
    }

    /** Whether a host, in lower case, is reached without a proxy. */
    boolean cover(String host, int port) {
        var bare = unbracketed(host);
        return ControlPlaneAccess.isLoopback(host) || entries.stream().anyMatch(entry -> covers(entry, bare, port));
    }

    private static boolean covers(String entry, String host, int port) {
        if (entry.equals("*")) {
            return true;
        }
        if (entry.contains("/")) {
            return isInNetwork(entry, host);
        }
        var colon = entry.lastIndexOf(':');
        var hasPort = colon > 0 && (entry.indexOf(':') == colon || entry.charAt(colon - 1) == ']');
        if (hasPort && !entry.substring(colon + 1).equals(String.valueOf(port))) {
            return false;
        }
        var name = unbracketed(hasPort ? entry.substring(0, colon) : entry);
        if (name.startsWith("*.")) {
            name = name.substring(1);
        }
        if (name.startsWith(".")) {
            return host.endsWith(name);
        }
        return host.equals(name) || (address(host).isEmpty() && host.endsWith("." + name)) || isSameAddress(name, host);
    }

    private static boolean isSameAddress(String name, String host) {
        return address(name).isPresent() && address(name).equals(address(host));
    }

    private static boolean isInNetwork(String network, String host) {
        var slash = network.indexOf('/');
        var base = address(network.substring(0, slash));
        var own = address(host);
        if (base.isEmpty() || own.isEmpty() || !network.substring(slash + 1).matches("\\d{1,3}")) {
            return false;
        }
        var first = base.get().getAddress();
        var second = own.get().getAddress();
        var free = first.length * 8 - Integer.parseInt(network.substring(slash + 1));
        return first.length == second.length
                && free >= 0
                && new BigInteger(1, first).shiftRight(free).equals(new BigInteger(1, second).shiftRight(free));
    }

    /** Addresses in their literal form only: nothing is looked up. */
    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
