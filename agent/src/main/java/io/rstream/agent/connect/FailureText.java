package io.rstream.agent.connect;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Turns causes into short texts for users, without class names and in words that do not vary from try to try. */
public final class FailureText {
    private FailureText() {}

    /** The text for a failure; never blank. */
    public static String of(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> "unknown cause";
            case DialException dial -> text(dial);
            case ConnectTimeoutException _ -> "timed out";
            case NoRouteToHostException _ -> "no route to host";
            case ProxyConnectException refused -> afterLastComma(text(refused));
            case NotSslRecordException _ -> "the other end does not speak TLS";
            case SSLHandshakeException tls -> text(tls);
            case ConnectException _ -> "connection refused";
            case UnknownHostException _ -> "no such host";
            case ClosedChannelException _ -> "the connection was closed";
            case NoSuchFileException missing -> missing.getFile() + " does not exist";
            case AccessDeniedException denied -> denied.getFile() + " may not be read";
            default -> failure.getCause() == null ? text(failure) : of(failure.getCause());
        };
    }

    /** A fault of the program: what and where, without its message, which may hold any value, also a secret one. */
    public static String ofFault(RuntimeException fault) {
        StackTraceElement[] trace = fault.getStackTrace();
        return "internal error: " + fault.getClass().getSimpleName() + (trace.length == 0 ? "" : " at " + trace[0]);
    }

    /** Netty puts addresses in front, which the caller names anyway. */
    private static String afterLastComma(String text) {
        return text.substring(text.lastIndexOf(", ") + 1).strip();
    }

    private static String text(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank()
                ? failure.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }
}
