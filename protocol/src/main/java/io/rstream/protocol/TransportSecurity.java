package io.rstream.protocol;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * TLS contexts for both ends of the protocol (rstream protocol, section 4.2). Every method reads files, so none belongs on
 * an event loop; the contexts are thread-safe.
 *
 * <p>Relayed connections use {@link Engine#JDK}: OpenSSL as Netty drives it ends both directions when the peer ends one,
 * which would cut off the answer to a half-closed request (docs/decisions/0003).
 */
public final class TransportSecurity {
    /** ALPN name of the native protocol. */
    public static final String ALPN_RSTREAM = "rstrm/1";

    /** What does the cryptography. */
    public enum Engine {
        /** The JDK's own TLS, which keeps half-close in TLS 1.3. */
        JDK,
        /** OpenSSL where the platform has it, else the JDK; for connections that need no half-close. */
        OPENSSL_IF_AVAILABLE
    }

    /** Whether a server asks its clients for a certificate. */
    public enum ClientCertificate {
        /** It does not. */
        NONE,
        /**
         * It does, and goes on without one. Any certificate is accepted, self-signed ones too: TLS proves only that the
         * client holds the key, and the caller decides by the fingerprint who that is.
         */
        OPTIONAL
    }

    private TransportSecurity() {}

    /**
     * A client context. Host names are checked unless trust is {@link Trust.Insecure}.
     *
     * @param identity the client certificate for servers that ask for one, or null
     * @param alpns the ALPN names to offer in order of preference; empty for none
     * @param minimum the lowest version allowed
     * @throws IOException when a file cannot be read
     * @throws GeneralSecurityException when a file's content is of no use; the message names file and expectation
     */
    public static SslContext client(
            Trust trust, @Nullable CertificateFiles identity, List<String> alpns, TlsVersion minimum)
            throws IOException, GeneralSecurityException {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .protocols(versions(minimum))
                .endpointIdentificationAlgorithm(trust instanceof Trust.Insecure ? "" : "HTTPS");
        switch (trust) {
            case Trust.SystemRoots _ -> {
                // The builder's default.
            }
            case Trust.Bundle bundle ->
                builder.trustManager(PemFile.read(bundle.file()).certificates());
            case Trust.Insecure _ -> builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
        }
        if (identity != null) {
            KeyPairFiles pair = KeyPairFiles.read(identity);
            builder.keyManager(pair.key(), pair.chain());
        }
        return offering(builder, alpns).build();
    }

    /**
     * A handler for one connection to {@code host}, which also becomes the SNI unless it is an IP address. The JDK alone
     * would leave out names of a single label.
     */
    public static SslHandler clientHandler(SslContext context, ByteBufAllocator allocator, String host, int port) {
        SslHandler handler = context.newHandler(allocator, host, port);
        if (!NetUtil.isValidIpV4Address(host) && !NetUtil.isValidIpV6Address(host)) {
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(host)));
            handler.engine().setSSLParameters(parameters);
        }
        return handler;
    }

    /**
     * A server context.
     *
     * @param alpns the ALPN names to choose from in order of preference; empty for none. A client that offers others only
     *     is let in without ALPN
     * @param minimum the lowest version allowed
     * @throws IOException when a file cannot be read
     * @throws GeneralSecurityException when a file's content is of no use, or key and certificate do not belong together
     */
    public static SslContext server(
            CertificateFiles files,
            List<String> alpns,
            ClientCertificate clientCertificate,
            TlsVersion minimum,
            Engine engine)
            throws IOException, GeneralSecurityException {
        KeyPairFiles pair = KeyPairFiles.read(files);
        SslContextBuilder builder = SslContextBuilder.forServer(pair.key(), pair.chain())
                .sslProvider(provider(engine))
                .protocols(versions(minimum));
        if (clientCertificate == ClientCertificate.OPTIONAL) {
            builder.clientAuth(ClientAuth.OPTIONAL).trustManager(InsecureTrustManagerFactory.INSTANCE);
        }
        return offering(builder, alpns).build();
    }

    private static SslProvider provider(Engine engine) {
        return engine == Engine.OPENSSL_IF_AVAILABLE && OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
    }

    private static List<String> versions(TlsVersion minimum) {
        return switch (minimum) {
            case TLS_1_2 -> List.of("TLSv1.3", "TLSv1.2");
            case TLS_1_3 -> List.of("TLSv1.3");
        };
    }

    private static SslContextBuilder offering(SslContextBuilder builder, List<String> alpns) {
        return alpns.isEmpty()
                ? builder
                : builder.applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        alpns));
    }

    /** A certificate chain and its key, known to belong together. */
    private record KeyPairFiles(PrivateKey key, List<X509Certificate> chain) {
        static KeyPairFiles read(CertificateFiles files) throws IOException, GeneralSecurityException {
            List<X509Certificate> chain = PemFile.read(files.certificateChain()).certificates();
            PrivateKey key = PemFile.read(files.privateKey()).privateKey();
            if (!belongTogether(key, chain.getFirst().getPublicKey())) {
                throw new GeneralSecurityException("the private key in %s does not belong to the certificate in %s"
                        .formatted(files.privateKey(), files.certificateChain()));
            }
            return new KeyPairFiles(key, chain);
        }

        private static boolean belongTogether(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
            if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
                return false;
            }
            String algorithm = switch (key.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> key.getAlgorithm();
            };
            byte[] probe = {1, 2, 3};
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            signature.update(probe);
            return signature.verify(signed);
        }
    }
}
