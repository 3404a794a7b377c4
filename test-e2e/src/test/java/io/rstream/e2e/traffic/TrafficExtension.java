package io.rstream.e2e.traffic;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the shared {@link Traffic} and verifies after each class that the processes are sound. */
final class TrafficExtension implements ParameterResolver, AfterAllCallback {
    private static final ExtensionContext.Namespace OURS = ExtensionContext.Namespace.create(TrafficExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Traffic.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return shared(context);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        shared(context).verifySound();
    }

    /** The root store closes it after the last class. */
    private static Traffic shared(ExtensionContext context) {
        return context.getRoot().getStore(OURS).computeIfAbsent(Traffic.class, _ -> start(), Traffic.class);
    }

    private static Traffic start() {
        try {
            return Traffic.start();
        } catch (Exception failure) {
            throw new IllegalStateException("engine and agents did not start", failure);
        }
    }
}
