package io.rstream.operator.event;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/** Pure: the Event that carries news. Its name follows from object, reason and message, so that equal news meet. */
final class EventText {

    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LONGEST_NAME = 200;
    private static final int DIGITS = 16;
    private static final String COMPONENT = "rstream-operator";

    private EventText() {}

    static Event event(HasMetadata object, ConditionNews news, Instant now) {
        var metadata = object.getMetadata();
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(metadata.getNamespace())
                .withName(name(metadata.getName(), metadata.getUid(), news))
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(object.getApiVersion())
                .withKind(object.getKind())
                .withNamespace(metadata.getNamespace())
                .withName(metadata.getName())
                .withUid(metadata.getUid())
                .withResourceVersion(metadata.getResourceVersion())
                .endInvolvedObject()
                .withType(news.warning() ? "Warning" : "Normal")
                .withReason(news.reason())
                .withMessage(cut(news.message(), LONGEST_MESSAGE))
                .withCount(1)
                .withFirstTimestamp(now.toString())
                .withLastTimestamp(now.toString())
                .withNewSource()
                .withComponent(COMPONENT)
                .endSource()
                .withReportingComponent(COMPONENT)
                .withReportingInstance(COMPONENT)
                .build();
    }

    private static String name(String object, String uid, ConditionNews news) {
        return object.substring(0, Math.min(object.length(), LONGEST_NAME)) + "."
                + digest(uid + "\0" + news.reason() + "\0" + news.message());
    }

    private static String digest(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }

    private static String cut(String text, int limit) {
        return text.length() <= limit ? text : text.substring(0, limit - 1) + "…";
    }
}
