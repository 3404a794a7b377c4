package io.rstream.protocol;

import java.nio.file.Path;

/**
 * Where a certificate and its key are.
 *
 * @param certificateChain PEM file, the certificate first and those that sign it after it
 * @param privateKey PEM file with an unencrypted PKCS#8, PKCS#1 or SEC 1 key
 */
public record CertificateFiles(Path certificateChain, Path privateKey) {}
