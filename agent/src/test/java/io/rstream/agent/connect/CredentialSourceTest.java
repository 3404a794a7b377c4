package io.rstream.agent.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialSourceTest {
    private static final String NAME = "RSTREAM_AUTHENTICATION_TOKEN";

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void write() throws Exception {
        file = Files.writeString(directory.resolve("token"), " marker\n");
    }

    private CredentialSource ofFile() {
        return CredentialSource.of(NAME, Map.of(NAME + "_FILE", file.toString()));
    }

    @Test
    @Tag("parity-80")
    @Tag("parity-104")
    void readsTheVariableOfThePeopleWhoRunAnAgentByHand() throws Exception {
        CredentialSource source = CredentialSource.of(NAME, Map.of(NAME, " marker \n"));

        assertThat(source.read().reveal()).isEqualTo("marker");
        assertThat(source.changing()).isEmpty();
    }

    /** Deliberate difference from parity 80: the operator's pods name a file. */
    @Test
    @Tag("parity-80")
    void readsTheFileAnewEachTime() throws Exception {
        CredentialSource source = ofFile();
        assertThat(source.read().reveal()).isEqualTo("marker");

        Files.writeString(file, "renewed");

        assertThat(source.read().reveal()).isEqualTo("renewed");
        assertThat(source.changing()).contains(file);
        assertThat(source).asString().doesNotContain("renewed");
    }

    @Test
    @Tag("parity-104")
    void doesNotChooseBetweenVariableAndFile() {
        CredentialSource both = CredentialSource.of(NAME, Map.of(NAME, "marker", NAME + "_FILE", file.toString()));

        assertThatThrownBy(both::read)
                .isInstanceOf(AttemptException.class)
                .hasMessage(NAME + " and " + NAME + "_FILE are both set; keep one of them");
    }

    @Test
    void saysWhichFileCannotBeUsed() throws Exception {
        CredentialSource source = ofFile();
        Files.writeString(file, " \n");
        assertThatThrownBy(source::read).hasMessageStartingWith("read " + NAME + "_FILE: " + file + " is empty; ");

        Files.writeString(file, "x".repeat((1 << 16) + 1));
        assertThatThrownBy(source::read).hasMessage("read " + NAME + "_FILE: " + file + " is larger than 65536 bytes");

        Files.delete(file);
        assertThatThrownBy(source::read).hasMessage("read " + NAME + "_FILE: " + file + " does not exist");
    }

    @Test
    void isNothingWithoutVariables() throws Exception {
        assertThat(CredentialSource.of(NAME, Map.of(NAME, " ")).read()).isNull();
        assertThat(CredentialSource.of(null, Map.of()).read()).isNull();
    }
}
