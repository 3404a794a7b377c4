package io.rstream.e2e.install;

import io.rstream.protocol.EngineAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Callers from outside: curl for HTTP, a plain socket for TCP. */
public final class PublicCallers {

    private static final int SOCKET_TIMEOUT_MILLIS = 15_000;

    private PublicCallers() {}

    /** Fails with a sentence that says what to install when there is no curl. */
    public static void requireCurl() {
        try {
            var process = new ProcessBuilder("curl", "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (process.waitFor() == 0) {
                return;
            }
        } catch (IOException _) {
            // Not found, which is what the sentence below is for.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        throw new IllegalStateException("curl was not found; install curl (for example: apt-get install curl)");
    }

    /**
     * The body of one answer.
     *
     * @throws IllegalStateException when there is no answer or its status is 400 or above
     */
    public static String curl(String url, Path caFile) throws IOException, InterruptedException {
        return run(url, List.of("--fail-with-body", "--cacert", caFile.toString(), url));
    }

    /** The status of one answer. */
    public static int status(String url, Path caFile) throws IOException, InterruptedException {
        var arguments =
                List.of("--output", "/dev/null", "--write-out", "%{http_code}", "--cacert", caFile.toString(), url);
        return Integer.parseInt(run(url, arguments).strip());
    }

    private static String run(String url, List<String> arguments) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(List.of("curl", "--silent", "--show-error", "--max-time", "20", "--noproxy", "*"));
        command.addAll(arguments);
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(
                    "curl %s ended with %d: %s".formatted(url, process.exitValue(), output.strip()));
        }
        return output;
    }

    /** Sends a line to a published TCP tunnel, {@code host:port}, on this machine and returns what comes back until the other side ends. */
    public static String echo(String forwardingAddress, String line) throws IOException {
        var port = EngineAddress.parse(forwardingAddress).port();
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(SOCKET_TIMEOUT_MILLIS);
            socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!answer.equals(line)) {
                throw new IllegalStateException("%s answered '%s' to '%s'".formatted(forwardingAddress, answer, line));
            }
            return answer;
        }
    }
}
