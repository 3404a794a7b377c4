package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.rstream.api.v1alpha1.Reason;
import io.rstream.api.v1alpha1.RstreamConnection;
import io.rstream.api.v1alpha1.RstreamTunnel;
import io.rstream.operator.connection.ConnectionResolver;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TunnelPlannerTest {

    private static final String TARGET = "target: {service: {name: web, port: 8080}}";
    private static final RstreamTunnel WEB = Samples.web("{" + TARGET + "}");
    private static final RstreamConnection CONNECTION =
            Samples.connection("{engine: 'edge.example.com:443', tokenSecretRef: {name: rstream-token, key: token}}");
    private static final Service SERVICE = Samples.service("[{name: http, port: 8080, protocol: TCP}]");
    private static final String SECRET = """
            apiVersion: v1
            kind: Secret
            metadata: {name: rstream-token, namespace: demo, resourceVersion: "11"}
            data: {token: ""}
            """;

    private final TunnelPlanner planner =
            new TunnelPlanner(ConnectionResolver.withoutControlPlane(), AgentDefaults.ofImage("agent:1"));

    static Stream<Arguments> blocked() {
        return Stream.of(
                Arguments.of(
                        Samples.inputs(WEB, null, SECRET, SERVICE),
                        Reason.CONNECTION_MISSING,
                        "RstreamConnection \"default\" was not found"),
                Arguments.of(
                        Samples.inputs(
                                Samples.web("{connectionRef: {name: office}, " + TARGET + "}"), null, SECRET, SERVICE),
                        Reason.CONNECTION_MISSING,
                        "RstreamConnection \"office\" was not found"),
                Arguments.of(
                        Samples.inputs(WEB, Samples.connection("{engine: 'e.example.com'}"), SECRET, SERVICE),
                        Reason.SECRET_MISSING,
                        "RstreamConnection \"default\" must reference tokenSecretRef or mtls"),
                Arguments.of(
                        Samples.inputs(WEB, CONNECTION, "", SERVICE),
                        Reason.SECRET_MISSING,
                        "secret \"rstream-token\" was not found"),
                Arguments.of(
                        Samples.inputs(WEB, CONNECTION, SECRET.replace("{token: \"\"}", "{other: \"\"}"), SERVICE),
                        Reason.SECRET_MISSING,
                        "secret \"rstream-token\" key \"token\" is missing"),
                Arguments.of(
                        Samples.inputs(
                                WEB,
                                Samples.connection(
                                        "{projectEndpoint: p, tokenSecretRef: {name: rstream-token, key: token}}"),
                                SECRET,
                                SERVICE),
                        Reason.CONNECTION_UNRESOLVED,
                        "Looking up project endpoint \"p\" at https://rstream.io."),
                Arguments.of(
                        Samples.inputs(WEB, CONNECTION, SECRET, null),
                        Reason.SERVICE_MISSING,
                        "service \"web\" was not found in namespace \"demo\""),
                Arguments.of(
                        Samples.inputs(
                                WEB,
                                CONNECTION,
                                SECRET,
                                Samples.service("[{name: '8080', port: 80, targetPort: 8080}]")),
                        Reason.SERVICE_PORT_MISSING,
                        "service port 8080 not found"),
                Arguments.of(
                        Samples.inputs(
                                Samples.web("{target: {service: {name: web, port: '8080'}}}"),
                                CONNECTION,
                                SECRET,
                                SERVICE),
                        Reason.SERVICE_PORT_MISSING,
                        "service port \"8080\" not found"),
                Arguments.of(
                        Samples.inputs(Samples.web("{protocol: quic, " + TARGET + "}"), CONNECTION, SECRET, SERVICE),
                        Reason.SERVICE_PORT_MISSING,
                        "service port \"http\" uses TCP but tunnel requires UDP"),
                Arguments.of(
                        Samples.inputs(WEB, CONNECTION, SECRET, Samples.service("[{port: 8080, protocol: UDP}]")),
                        Reason.SERVICE_PORT_MISSING,
                        "service port \"\" uses UDP but tunnel requires TCP"),
                Arguments.of(
                        Samples.inputs(Samples.web("{tcpPort: 1, " + TARGET + "}"), CONNECTION, SECRET, SERVICE),
                        Reason.INVALID_SPEC,
                        "tcpPort requires protocol tcp (spec.tcpPort: 1)"),
                Arguments.of(
                        Samples.inputs(
                                Samples.tunnel("metadata: {name: web, namespace: demo, uid: u}"), null, "", null),
                        Reason.INVALID_SPEC,
                        "target is required (spec.target)"));
    }

    @ParameterizedTest
    @MethodSource("blocked")
    @Tag("parity-43")
    @Tag("parity-44")
    @Tag("parity-45")
    @Tag("parity-46")
    @Tag("parity-47")
    @Tag("parity-48")
    @Tag("parity-49")
    @Tag("parity-127")
    void saysWhatIsMissing(TunnelInputs inputs, Reason reason, String message) {
        assertThat(planner.plan(inputs)).isEqualTo(new TunnelPlan.Blocked(reason, message));
    }

    @Test
    @Tag("parity-60")
    void usesTheChosenTunnelNameAsItIs() {
        var chosen = rstreamName("tunnelName: ' My_Name ', ");
        var blank = rstreamName("tunnelName: ' ', ");

        assertThat(chosen).isEqualTo("My_Name");
        assertThat(blank).isEqualTo("demo-web");
    }

    private String rstreamName(String fields) {
        var tunnel = Samples.web("{" + fields + TARGET + "}");
        return planner.plan(Samples.inputs(tunnel, CONNECTION, SECRET, SERVICE)) instanceof TunnelPlan.Ready ready
                ? ready.rstreamName()
                : "";
    }

    @Test
    void refusesASpecThatCannotBeRead() {
        var tunnel = Samples.web("{target: {service: {name: web, port: 99999999999}}}");

        var plan = planner.plan(Samples.inputs(tunnel, null, "", null));

        assertThat(plan)
                .isEqualTo(new TunnelPlan.Blocked(
                        Reason.INVALID_SPEC,
                        "spec.target.service.port 99999999999 is not a value that the field takes; kubectl explain"
                                + " rstreamtunnel.spec.target.service.port says what it takes"));
    }

    @Test
    @Tag("parity-140")
    void refusesANameThatDoesNotFitIntoALabel() {
        var tunnel = Samples.web("{" + TARGET + "}");
        tunnel.getMetadata().setName("x".repeat(64));

        var plan = planner.plan(Samples.inputs(tunnel, CONNECTION, SECRET, SERVICE));

        assertThat(plan)
                .isEqualTo(new TunnelPlan.Blocked(
                        Reason.INVALID_SPEC,
                        "metadata.name has 64 characters; the agent carries it as a label, so use at most 63"));
    }

    @ParameterizedTest
    @MethodSource("transports")
    @Tag("parity-50")
    void infersTheTransportOfTheService(String spec, String protocol) {
        var service = Samples.service("[{name: a, port: 8080, protocol: TCP}, {name: b, port: 8080, protocol: UDP}]");

        var plan = planner.plan(Samples.inputs(Samples.web("{" + spec + TARGET + "}"), CONNECTION, SECRET, service));

        assertThat(plan)
                .isInstanceOfSatisfying(
                        TunnelPlan.Ready.class,
                        ready -> assertThat(ready.workload().configFile()).contains("protocol: " + protocol));
    }

    static Stream<Arguments> transports() {
        return Stream.of(
                Arguments.of("", "TCP"),
                Arguments.of("protocol: tls, ", "TCP"),
                Arguments.of("protocol: dtls, ", "UDP"),
                Arguments.of("protocol: quic, ", "UDP"),
                Arguments.of("protocol: quic, type: bytestream, ", "TCP"),
                Arguments.of("http: {version: h3}, ", "UDP"),
                Arguments.of("http: {version: h2c}, ", "TCP"),
                Arguments.of("protocol: tls, type: datagram, ", "UDP"));
    }

    @Test
    @Tag("parity-51")
    @Tag("parity-52")
    void targetsTheServiceInItsNamespace() {
        var tunnel = Samples.web("{target: {service: {name: web, namespace: shop, port: 8080}}}");

        var plan = planner.plan(Samples.inputs(tunnel, CONNECTION, SECRET, SERVICE));

        assertThat(plan)
                .isInstanceOfSatisfying(
                        TunnelPlan.Ready.class,
                        ready -> assertThat(ready.target()).isEqualTo("web.shop.svc:8080"));
    }

    @Test
    @Tag("parity-142")
    void refusesAServiceThatIsANameForAnotherHost() {
        var service = Samples.YAML.unmarshal("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: demo}
                spec: {type: ExternalName, externalName: db.example.com, ports: [{port: 8080}]}
                """, Service.class);

        var plan = planner.plan(Samples.inputs(WEB, CONNECTION, SECRET, service));

        assertThat(plan)
                .isEqualTo(
                        new TunnelPlan.Blocked(
                                Reason.SERVICE_UNSUPPORTED,
                                "service \"web\" is of type ExternalName, which only gives another name to a host outside the"
                                        + " cluster; use a Service without selector and an EndpointSlice with the host's address."));
    }

    /** A name of a port means what each pod says it means, so that the Service's number is the best guess. */
    @ParameterizedTest
    @CsvSource({"None,9090,9090", "None,app,8080", "None,,8080", "10.0.0.7,9090,8080"})
    @Tag("parity-142")
    void dialsTheTargetPortOfAHeadlessService(String clusterIp, String targetPort, int dialled) {
        var target = targetPort == null ? "" : ", targetPort: " + targetPort;
        var service = Samples.service("[{name: http, port: 8080%s}]".formatted(target));
        service.getSpec().setClusterIP(clusterIp);

        var plan = planner.plan(Samples.inputs(WEB, CONNECTION, SECRET, service));

        assertThat(plan)
                .isInstanceOfSatisfying(
                        TunnelPlan.Ready.class,
                        ready -> assertThat(ready.target()).isEqualTo("web.demo.svc:" + dialled));
    }

    @Test
    @Tag("parity-150")
    void saysThatTheNamespaceOfTheServiceIsNotWatched() {
        var tunnel = Samples.web("{target: {service: {name: web, namespace: shop, port: 8080}}}");
        var inputs = Samples.inputs(tunnel, CONNECTION, SECRET, null);

        var plan =
                planner.plan(new TunnelInputs(tunnel, inputs.connection(), inputs.secrets(), null, false, List.of()));

        assertThat(plan)
                .isEqualTo(new TunnelPlan.Blocked(
                        Reason.SERVICE_MISSING,
                        "service \"web\" is in namespace \"shop\", which this operator does not watch; use a Service in a"
                                + " watched namespace, or start the operator with --watch-namespace=shop too."));
    }

    static Stream<Arguments> conflicts() {
        return Stream.of(
                Arguments.of("hostname: ' Shop.example.ORG. '", "edge.example.com", "hostname \"shop.example.org\""),
                Arguments.of("hostname: shop.example.org", "EDGE.example.com:443", "hostname \"shop.example.org\""),
                Arguments.of("protocol: tcp, tcpPort: 5432", "edge.example.com:443", "tcpPort 5432"));
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void leavesAnAddressToTheOlderTunnel(String fields, String engine, String address) {
        var plan = planner.plan(withRival(fields, engine));

        assertThat(plan)
                .isEqualTo(new TunnelPlan.Blocked(
                        Reason.ADDRESS_CONFLICT,
                        address + " belongs to the older tunnel \"shop/web\"; ask for another one, or delete that"
                                + " tunnel."));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hostname: shop.example.org|other.example.com:443",
                "hostname: shop.example.org, publish: false|edge.example.com:443",
                "protocol: tls|edge.example.com:443",
            })
    void sharesAnAddressWithATunnelOfAnotherEngineAndWhileItIsNotPublic(String fields, String engine) {
        var plan = planner.plan(withRival(fields, engine));

        assertThat(plan).isInstanceOf(TunnelPlan.Ready.class);
    }

    private static TunnelInputs withRival(String fields, String engine) {
        var tunnel = Samples.web("{" + fields + ", " + TARGET + "}");
        var inputs = Samples.inputs(tunnel, CONNECTION, SECRET, SERVICE);
        return new TunnelInputs(
                tunnel,
                inputs.connection(),
                inputs.secrets(),
                inputs.service(),
                true,
                List.of(new TunnelInputs.Rival("shop/web", engine)));
    }

    @Test
    @Tag("parity-55")
    void usesTheDeclaredHostnameTrimmed() {
        var tunnel = Samples.web("{hostname: ' shop.example.org ', " + TARGET + "}");

        var plan = planner.plan(Samples.inputs(tunnel, CONNECTION, SECRET, SERVICE));

        assertThat(plan).isInstanceOfSatisfying(TunnelPlan.Ready.class, ready -> {
            assertThat(ready.hostname()).isEqualTo("shop.example.org");
            assertThat(ready.workload().configFile()).contains("hostname: shop.example.org");
        });
    }

    @Test
    @Tag("parity-58")
    void clearsTheHostnameOfATcpTunnel() {
        var tunnel = Samples.tunnel("""
                metadata: {name: web, namespace: demo, uid: uid-1}
                spec: {protocol: tcp, target: {service: {name: web, port: 8080}}}
                status: {hostname: old.example.org}
                """);

        var plan = planner.plan(Samples.inputs(tunnel, CONNECTION, SECRET, SERVICE));

        assertThat(plan).isInstanceOfSatisfying(TunnelPlan.Ready.class, ready -> {
            assertThat(ready.hostname()).isNull();
            assertThat(ready.workload().configFile()).doesNotContain("hostname");
        });
    }
}
