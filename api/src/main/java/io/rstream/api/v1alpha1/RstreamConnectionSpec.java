package io.rstream.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How agents reach an engine: which one, and with which credential. The rules across fields have their messages in
 * {@link ConnectionRules}.
 *
 * @param projectEndpoint project endpoint to look up
 * @param projectID project ID to look up
 * @param apiURL control plane base URL
 * @param region authorised region, or {@code auto}
 * @param controlPlaneHeaders extra headers of control plane calls
 * @param engine engine address, {@code host:port}
 * @param tokenSecretRef bearer token
 * @param mtls client certificate
 * @param transport agent-to-engine path
 * @param caSecretRef certificates that agents trust for the engine when they use a token
 */
@Document
@ValidationRule(value = "has(self.tokenSecretRef) != has(self.mtls)", message = ConnectionRules.ONE_CREDENTIAL)
@ValidationRule(
        value = "(has(self.projectEndpoint) ? 1 : 0) + (has(self.projectID) ? 1 : 0) + (has(self.engine) ? 1 : 0) == 1",
        message = ConnectionRules.ONE_SELECTOR)
@ValidationRule(
        value = "has(self.engine) || has(self.tokenSecretRef)",
        message = ConnectionRules.PROJECT_REQUIRES_TOKEN)
@ValidationRule(value = "!has(self.engine) || !has(self.region)", message = ConnectionRules.ENGINE_WITHOUT_REGION)
@ValidationRule(
        value = "!has(self.engine) || !has(self.controlPlaneHeaders) || size(self.controlPlaneHeaders) == 0",
        message = ConnectionRules.ENGINE_WITHOUT_HEADERS)
@ValidationRule(value = "!has(self.caSecretRef) || !has(self.mtls)", message = ConnectionRules.CA_WITHOUT_MTLS)
public record RstreamConnectionSpec(
        @JsonPropertyDescription("Endpoint of the rstream project, looked up in the control plane. Set exactly one of"
                + " projectEndpoint, projectID and engine.")
        @Size(min = 1)
        @Nullable
        String projectEndpoint,

        @JsonPropertyDescription("ID of the rstream project, looked up in the control plane. Set exactly one of"
                + " projectEndpoint, projectID and engine.")
        @Size(min = 1)
        @Nullable
        String projectID,

        @JsonPropertyDescription("Base URL of the control plane that knows the project. Not used with engine.")
        @Default(WellKnown.DEFAULT_API_URL)
        @Size(min = 1)
        @Nullable
        String apiURL,

        @JsonPropertyDescription("Region of a global project whose engine agents connect to. auto, or no region, takes"
                + " the project's default.")
        @Size(max = 64)
        @Pattern("^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$")
        @Nullable
        String region,

        @JsonPropertyDescription(
                "Extra HTTP headers of the operator's calls to the control plane. Agents never see" + " them.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<ControlPlaneHeader> controlPlaneHeaders,

        @JsonPropertyDescription("Address of the engine as host:port, used as it is and without a control plane. This"
                + " is the form for a self-hosted engine. Set exactly one of projectEndpoint, projectID and"
                + " engine.")
        @Size(min = 1)
        @Nullable
        String engine,

        @JsonPropertyDescription("Secret key that holds the token for the engine and the control plane. Set exactly one"
                + " of tokenSecretRef and mtls.")
        @Nullable
        SecretKeyRef tokenSecretRef,

        @JsonPropertyDescription("Client certificate for the engine. Works with engine only. Set exactly one of"
                + " tokenSecretRef and mtls.")
        @Nullable
        MutualTls mtls,

        @JsonPropertyDescription("Network path from agents to the engine.") @Nullable
        Transport transport,

        @JsonPropertyDescription("Secret key that holds PEM certificates of the authorities that may have signed the"
                + " engine's certificate, for an engine with a private certificate. They replace the public ones."
                + " Goes with tokenSecretRef; with mtls use mtls.caSecretRef.")
        @Nullable
        SecretKeyRef caSecretRef) {

    private static final RstreamConnectionSpec EMPTY =
            new RstreamConnectionSpec(null, null, null, null, List.of(), null, null, null, null, null);

    public RstreamConnectionSpec {
        controlPlaneHeaders = Absent.toEmpty(controlPlaneHeaders);
    }

    /** What an object without {@code spec} declares. */
    public static RstreamConnectionSpec empty() {
        return EMPTY;
    }

    /** Secret keys that reach agents: token, certificates, proxy credentials; sorted, each once. */
    public SortedSet<SecretKeyRef> agentSecretRefs() {
        return sorted(Stream.of(tokenRef(), Stream.ofNullable(caSecretRef), mtlsRefs(), proxyRefs())
                .flatMap(refs -> refs));
    }

    /** Secret keys that only the operator reads: values of control plane headers; sorted, each once. */
    public SortedSet<SecretKeyRef> headerSecretRefs() {
        return sorted(controlPlaneHeaders.stream().map(ControlPlaneHeader::valueSecretRef));
    }

    /** All Secret keys of the connection, in the order in which they are read; sorted, each once. */
    public SortedSet<SecretKeyRef> secretRefs() {
        return sorted(Stream.concat(agentSecretRefs().stream(), headerSecretRefs().stream()));
    }

    private Stream<SecretKeyRef> tokenRef() {
        return Stream.ofNullable(tokenSecretRef);
    }

    private Stream<SecretKeyRef> mtlsRefs() {
        return mtls == null
                ? Stream.of()
                : Stream.concat(
                        Stream.of(mtls.certSecretRef(), mtls.keySecretRef()), Stream.ofNullable(mtls.caSecretRef()));
    }

    private Stream<SecretKeyRef> proxyRefs() {
        var proxy = transport == null ? null : transport.proxy();
        return proxy == null
                ? Stream.of()
                : Stream.concat(
                        Stream.ofNullable(proxy.usernameSecretRef()), Stream.ofNullable(proxy.passwordSecretRef()));
    }

    private static SortedSet<SecretKeyRef> sorted(Stream<SecretKeyRef> refs) {
        return Collections.unmodifiableSortedSet(refs.collect(Collectors.toCollection(TreeSet::new)));
    }
}
