package io.rstream.agent.connect;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where the user of the HTTP proxy comes from: the two variables that {@code connection.transport.proxy} names, or files.
 *
 * @param username user name
 * @param password its password
 */
public record ProxyCredentials(CredentialSource username, CredentialSource password) {
    /** A proxy without users, or no proxy. */
    public static final ProxyCredentials NONE = new ProxyCredentials(CredentialSource.NONE, CredentialSource.NONE);

    /** The files whose content can change while the agent runs. */
    public List<Path> files() {
        return Stream.of(username, password)
                .flatMap(source -> source.changing().stream())
                .toList();
    }

    /**
     * What both hold now; may block.
     *
     * @throws AttemptException as {@link CredentialSource#read} does
     */
    public ProxyLogin read() throws AttemptException {
        return new ProxyLogin(username.read(), password.read());
    }
}
