package io.rstream.process;

import java.time.Duration;

/** The process that {@link ApplicationTest} stops with a signal. */
final class SignalledProcess {

    private SignalledProcess() {}

    public static void main(String[] arguments) {
        Application application = new Application("signalled", Duration.ofSeconds(5));
        application.part("part", () -> {
            System.out.println("started");
            return () -> System.out.println("stopped cleanly");
        });
        System.exit(application.run());
    }
}
