package io.rstream.engine;

import io.rstream.engine.config.ConfigException;
import io.rstream.engine.config.EngineConfig;
import io.rstream.protocol.CertificateFiles;
import io.rstream.protocol.TlsVersion;
import io.rstream.protocol.TransportSecurity;
import io.rstream.protocol.TransportSecurity.ClientCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** What {@code check} looks at beyond the file itself: the secret, the certificate, its names and its dates. */
final class ConfigCheck {
    private static final Duration SOON = Duration.ofDays(14);
    private static final int DNS_NAME = 2;

    private final Clock clock;

    ConfigCheck(Clock clock) {
        this.clock = clock;
    }

    /**
     * What was found.
     *
     * @param problems with these the engine does not work as configured
     * @param notes worth knowing
     */
    record Findings(List<String> problems, List<String> notes) {}

    Findings check(EngineConfig config) {
        Findings findings = new Findings(new ArrayList<>(), new ArrayList<>());
        try {
            Engine.tokens(config.auth(), clock);
        } catch (ConfigException problem) {
            findings.problems().add(problem.getMessage());
        }
        checkCertificate(config, findings);
        if (!config.auth().requireToken()) {
            findings.notes().add("auth.requireToken is false: everybody may open tunnels");
        }
        return findings;
    }

    private void checkCertificate(EngineConfig config, Findings findings) {
        Path file = config.tls().certificateFile();
        Path key = config.tls().keyFile();
        for (Path needed : List.of(file, key)) {
            if (!Files.isReadable(needed)) {
                findings.problems().add("tls: " + needed + " cannot be read; check that it exists and its permissions");
            }
        }
        if (!findings.problems().isEmpty()) {
            return;
        }
        try {
            TransportSecurity.server(
                    new CertificateFiles(file, key),
                    List.of(),
                    ClientCertificate.NONE,
                    TlsVersion.TLS_1_3,
                    TransportSecurity.Engine.JDK);
            X509Certificate leaf = leaf(file);
            checkNames(config, leaf, findings);
            checkDates(leaf, findings);
        } catch (IOException | GeneralSecurityException unusable) {
            findings.problems().add("tls: " + unusable.getMessage());
        }
    }

    private static void checkNames(EngineConfig config, X509Certificate leaf, Findings findings)
            throws GeneralSecurityException {
        List<String> names = dnsNames(leaf);
        String wildcard = "*." + config.tunnelDomain();
        if (names.stream().noneMatch(name -> covers(name, config.host()))) {
            findings.problems().add(missingName("host", config.host(), names));
        }
        if (names.stream().noneMatch(name -> name.equals(wildcard))) {
            findings.problems().add(missingName("tunnelDomain", wildcard, names));
        }
    }

    private void checkDates(X509Certificate leaf, Findings findings) {
        Instant now = clock.instant();
        Instant end = leaf.getNotAfter().toInstant();
        if (now.isAfter(end)) {
            findings.problems().add("tls: the certificate expired on " + end + "; renew it");
        } else if (now.isBefore(leaf.getNotBefore().toInstant())) {
            findings.problems()
                    .add("tls: the certificate is valid from "
                            + leaf.getNotBefore().toInstant() + " only");
        } else if (now.plus(SOON).isAfter(end)) {
            findings.notes().add("tls: the certificate expires soon, on " + end);
        } else {
            findings.notes().add("tls: the certificate is valid until " + end);
        }
    }

    private static String missingName(String key, String name, List<String> names) {
        return "tls: the certificate does not cover %s %s; it is for %s"
                .formatted(key, name, names.isEmpty() ? "no DNS name" : String.join(", ", names));
    }

    private static boolean covers(String pattern, String host) {
        if (pattern.equals(host)) {
            return true;
        }
        int dot = host.indexOf('.');
        return pattern.startsWith("*.") && dot > 0 && pattern.substring(1).equals(host.substring(dot));
    }

    private static List<String> dnsNames(X509Certificate leaf) throws GeneralSecurityException {
        Collection<List<?>> alternatives = leaf.getSubjectAlternativeNames();
        if (alternatives == null) {
            return List.of();
        }
        return alternatives.stream()
                .filter(entry -> entry.getFirst().equals(DNS_NAME))
                .map(entry -> entry.get(1).toString().toLowerCase(Locale.ROOT))
                .toList();
    }

    private static X509Certificate leaf(Path file) throws IOException, GeneralSecurityException {
        try (var in = Files.newInputStream(file)) {
            Certificate first = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .findFirst()
                    .orElseThrow(() -> new GeneralSecurityException(file + " holds no certificate"));
            return (X509Certificate) first;
        }
    }
}
