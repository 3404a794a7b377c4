package io.rstream.process;

/** Exit codes that all our processes share; they are public and documented for scripts. */
public final class ExitCode {

    /** The process did what it was asked to, or was stopped by a signal. */
    public static final int OK = 0;

    /** The process could not start or had to give up; the last log line says why. */
    public static final int FAILURE = 1;

    /** The command line was wrong; standard error says how to write it. */
    public static final int USAGE = 2;

    private ExitCode() {}
}
