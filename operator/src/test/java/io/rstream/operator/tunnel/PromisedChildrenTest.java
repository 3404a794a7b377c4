package io.rstream.operator.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.rstream.operator.connection.ConnectionResolver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the reference (3.8, 3.9 and 5.2) says of the children, written down by hand: {@link GoldenChildrenTest} would accept
 * whatever somebody regenerates.
 */
class PromisedChildrenTest {

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String TOKEN =
            "{engine: ' edge.example.com:443 ', tokenSecretRef: {name: credentials, key: token}}";
    private static final String SECRET = """
            apiVersion: v1
            kind: Secret
            metadata: {name: credentials, namespace: demo, resourceVersion: "11"}
            data: {token: "", tls.crt: "", tls.key: "", ca.crt: "", user: "", pass: ""}
            """;
    private static final String BASE = "rstream-web-50c45a43";
    private static final String MTLS = """
            {engine: 'edge.example.com:443', mtls: {certSecretRef: {name: credentials, key: tls.crt},
              keySecretRef: {name: credentials, key: tls.key}%s}}""";
    private static final String CA = ", caSecretRef: {name: credentials, key: ca.crt}";

    @Test
    @Tag("parity-62")
    @Tag("parity-63")
    void makesFiveChildrenAndOneConfigurationFile() {
        var children = children("", TOKEN);

        assertThat(children)
                .extracting(child -> child.path("kind").asText() + " "
                        + child.at("/metadata/name").asText())
                .containsExactly(
                        "ConfigMap " + BASE + "-config",
                        "ServiceAccount " + BASE,
                        "Role " + BASE,
                        "RoleBinding " + BASE,
                        "Deployment " + BASE);
        assertThat(children)
                .allMatch(child -> child.at("/metadata/namespace").asText().equals("demo"));
        assertThat(children.getFirst().path("data").properties())
                .extracting(Map.Entry::getKey)
                .containsExactly("config.yaml");
    }

    @Test
    @Tag("parity-64")
    void namesTheEngine() {
        assertThat(config("", TOKEN).at("/connection")).isEqualTo(yaml("{engine: 'edge.example.com:443'}"));
    }

    @ParameterizedTest
    @CsvSource({
        "'', true, http, bytestream, TCP",
        "'publish: false, ', false, http, bytestream, TCP",
        "'http: {version: h2c}, ', true, http, bytestream, TCP",
        "'http: {version: h3}, ', true, http, datagram, UDP",
        "'protocol: tls, ', true, tls, bytestream, TCP",
        "'protocol: tls, type: datagram, ', true, tls, datagram, UDP",
        "'protocol: dtls, ', true, dtls, datagram, UDP",
        "'protocol: quic, ', true, quic, datagram, UDP",
        "'protocol: quic, type: bytestream, ', true, quic, bytestream, TCP",
        "'protocol: tcp, ', true, tcp, bytestream, TCP",
    })
    @Tag("parity-50")
    @Tag("parity-65")
    @Tag("parity-67")
    void alwaysSaysWhatKindOfTunnelItIs(
            String fields, boolean publish, String protocol, String type, String transport) {
        var config = config(fields, TOKEN);

        assertThat(config.at("/tunnel/publish")).isEqualTo(yaml(Boolean.toString(publish)));
        assertThat(config.at("/tunnel/protocol").textValue()).isEqualTo(protocol);
        assertThat(config.at("/tunnel/type").textValue()).isEqualTo(type);
        assertThat(config.at("/target"))
                .isEqualTo(yaml("{host: web.demo.svc, port: '8080', protocol: %s}".formatted(transport)));
    }

    @Test
    @Tag("parity-66")
    void letsTheOperatorsLabelsWin() {
        var config = config("labels: {app: shop, rstream.source: mine, rstream.kubernetes.uid: mine}, ", TOKEN);

        assertThat(config.at("/tunnel/labels")).isEqualTo(yaml("""
                app: shop
                rstream.kubernetes.name: web
                rstream.kubernetes.namespace: demo
                rstream.kubernetes.uid: uid-1
                rstream.managed-by: kubernetes-operator
                rstream.source: kubernetes
                """));
    }

    @Test
    @Tag("parity-68")
    void tellsTheAgentWhoItIsAndHowLongToPause() {
        var config = config("", TOKEN);

        assertThat(config.path("kubernetes")).isEqualTo(yaml("""
                enabled: true
                namespace: demo
                tunnelName: web
                podNameEnv: RSTREAM_AGENT_POD_NAME
                podNamespaceEnv: RSTREAM_AGENT_POD_NAMESPACE
                """));
        assertThat(config.path("retry")).isEqualTo(yaml("{initial: 1s, max: 30s}"));
    }

    @Test
    @Tag("parity-69")
    void namesTheFilesOfAClientCertificate() {
        var withCa = config("", MTLS.formatted(CA));
        var without = config("", MTLS.formatted(""));

        assertThat(withCa.at("/connection/mtls")).isEqualTo(yaml("""
                certFile: /var/run/rstream/mtls/tls.crt
                keyFile: /var/run/rstream/mtls/tls.key
                caFile: /var/run/rstream/mtls/ca.crt
                """));
        assertThat(without.at("/connection/mtls")).isEqualTo(yaml("""
                certFile: /var/run/rstream/mtls/tls.crt
                keyFile: /var/run/rstream/mtls/tls.key
                """));
    }

    @Test
    @Tag("parity-70")
    @Tag("parity-72")
    void carriesTheTransportAndOnlyNamesOfProxyCredentials() {
        var both = config("", TOKEN.replace("}}", """
                }, transport: {mode: auto, useQuic: true, proxy: {http: 'http://proxy:3128',
                  usernameSecretRef: {name: credentials, key: user},
                  passwordSecretRef: {name: credentials, key: pass}}}}"""));
        var none = config("", TOKEN.replace("}}", "}, transport: {proxy: {http: 'http://proxy:3128'}}}"));

        assertThat(both.at("/connection/transport")).isEqualTo(yaml("""
                mode: auto
                proxy:
                  http: http://proxy:3128
                  usernameEnv: RSTREAM_PROXY_USERNAME
                  passwordEnv: RSTREAM_PROXY_PASSWORD
                useQuic: true
                """));
        assertThat(none.at("/connection/transport")).isEqualTo(yaml("{proxy: {http: 'http://proxy:3128'}}"));
    }

    @Test
    @Tag("parity-72")
    void carriesWhatIsSetAndNothingElse() {
        var tcp = config("protocol: tcp, tcpPort: 10042, allowCrossRegionRouting: false, ", TOKEN);
        var packets = config("protocol: quic, datagramGuaranteedDelivery: true, ", TOKEN);
        var plain = config("", TOKEN);

        assertThat(tcp.at("/tunnel/tcpPort")).isEqualTo(yaml("10042"));
        assertThat(tcp.at("/tunnel/allowCrossRegionRouting")).isEqualTo(yaml("false"));
        assertThat(packets.at("/tunnel/datagramGuaranteedDelivery")).isEqualTo(yaml("true"));
        assertThat(plain.path("tunnel").properties())
                .extracting(Map.Entry::getKey)
                .containsExactly("name", "publish", "protocol", "type", "hostname", "labels");
    }

    @Test
    @Tag("parity-58")
    void givesNoHostnameToUnpublishedAndTcpTunnels() {
        assertThat(config("publish: false, ", TOKEN).path("tunnel").has("hostname"))
                .isFalse();
        assertThat(config("protocol: tcp, ", TOKEN).path("tunnel").has("hostname"))
                .isFalse();
        assertThat(config("", TOKEN).path("tunnel").has("hostname")).isTrue();
    }

    @Test
    @Tag("parity-73")
    void labelsEveryChild() {
        var components = children("", TOKEN).stream()
                .map(child -> child.at("/metadata/labels"))
                .peek(labels -> assertThat(labels)
                        .isEqualTo(labels(
                                labels.path("app.kubernetes.io/component").asText())))
                .map(labels -> labels.path("app.kubernetes.io/component").asText());

        assertThat(components).containsExactly("config", "agent-rbac", "agent-rbac", "agent-rbac", "agent");
    }

    @Test
    @Tag("parity-74")
    void ownsEveryChild() {
        assertThat(children("", TOKEN))
                .allSatisfy(child ->
                        assertThat(child.at("/metadata/ownerReferences")).isEqualTo(yaml("""
                        - apiVersion: tunnels.rstream.io/v1alpha1
                          kind: RstreamTunnel
                          name: web
                          uid: uid-1
                          controller: true
                          blockOwnerDeletion: true
                        """)));
    }

    @Test
    @Tag("parity-75")
    void letsTheAgentReadAndReportOnItsTunnelAndNoMore() {
        var children = children("", TOKEN);

        assertThat(children.get(2).path("rules")).isEqualTo(yaml("""
                - apiGroups: [tunnels.rstream.io]
                  resources: [rstreamtunnels]
                  resourceNames: [web]
                  verbs: [get]
                - apiGroups: [tunnels.rstream.io]
                  resources: [rstreamtunnels/status]
                  resourceNames: [web]
                  verbs: [get, patch, update]
                """));
        assertThat(children.get(3).path("roleRef"))
                .isEqualTo(yaml("{apiGroup: rbac.authorization.k8s.io, kind: Role, name: %s}".formatted(BASE)));
        assertThat(children.get(3).path("subjects"))
                .isEqualTo(yaml("[{kind: ServiceAccount, name: %s, namespace: demo}]".formatted(BASE)));
    }

    @Test
    @Tag("parity-76")
    void selectsOnePodByAllLabelsOfTheAgent() {
        var spec = deployment("agent: {podLabels: {team: blue, app.kubernetes.io/name: mine}}, ", TOKEN)
                .path("spec");

        assertThat(spec.path("replicas")).isEqualTo(yaml("1"));
        assertThat(spec.path("selector")).isEqualTo(YAML.createObjectNode().set("matchLabels", labels("agent")));
        spec.at("/selector/matchLabels")
                .properties()
                .forEach(
                        label -> assertThat(spec.at("/template/metadata/labels").path(label.getKey()))
                                .isEqualTo(label.getValue()));
    }

    @Test
    @Tag("parity-77")
    void runsThePodAsItsServiceAccountAndNotAsRoot() {
        var pod = pod("", TOKEN);

        assertThat(pod.path("serviceAccountName").asText()).isEqualTo(BASE);
        assertThat(pod.path("automountServiceAccountToken")).isEqualTo(yaml("true"));
        assertThat(pod.path("securityContext"))
                .isEqualTo(yaml("{runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}"));
    }

    @Test
    @Tag("parity-78")
    @Tag("parity-79")
    @Tag("parity-81")
    @Tag("parity-83")
    void startsTheAgentAsDocumented() {
        var pod = pod("", TOKEN);
        var container = pod.at("/containers/0").deepCopy();
        ((com.fasterxml.jackson.databind.node.ObjectNode) container)
                .remove(List.of("env", "volumeMounts", "resources"));

        assertThat(pod.path("containers")).hasSize(1);
        assertThat(container).isEqualTo(yaml("""
                name: agent
                image: default-agent:1
                imagePullPolicy: IfNotPresent
                command: [/rstream-agent]
                args: ['--config=/etc/rstream-agent/config.yaml', '--health-bind-address=:8081']
                ports: [{name: health, containerPort: 8081, protocol: TCP}]
                securityContext:
                  allowPrivilegeEscalation: false
                  readOnlyRootFilesystem: true
                  runAsNonRoot: true
                  capabilities: {drop: [ALL]}
                livenessProbe:
                  httpGet: {path: /healthz, port: 8081}
                  initialDelaySeconds: 5
                  periodSeconds: 10
                  timeoutSeconds: 2
                  failureThreshold: 6
                readinessProbe:
                  httpGet: {path: /readyz, port: 8081}
                  periodSeconds: 5
                  timeoutSeconds: 2
                  failureThreshold: 3
                """));
        assertThat(pod("agent: {image: 'mine:2'}, ", TOKEN)
                        .at("/containers/0/image")
                        .asText())
                .isEqualTo("mine:2");
    }

    @Test
    @Tag("parity-80")
    void putsThePodFirstAndNoCredentialIntoTheEnvironment() {
        var environment = pod("", TOKEN).at("/containers/0/env");

        assertThat(environment.get(0).path("name").asText()).isEqualTo("RSTREAM_AGENT_POD_NAME");
        assertThat(environment.get(0).at("/valueFrom/fieldRef/fieldPath").asText())
                .isEqualTo("metadata.name");
        assertThat(environment.get(1).path("name").asText()).isEqualTo("RSTREAM_AGENT_POD_NAMESPACE");
        assertThat(environment.get(1).at("/valueFrom/fieldRef/fieldPath").asText())
                .isEqualTo("metadata.namespace");
        assertThat(environment.get(2).path("name").asText()).isEqualTo("RSTREAM_AUTHENTICATION_TOKEN_FILE");
        assertThat(environment.findValues("secretKeyRef")).isEmpty();
    }

    @Test
    @Tag("parity-82")
    void replacesTheDefaultResourcesAsAWhole() {
        var defaults = yaml("{requests: {cpu: 25m, memory: 64Mi}, limits: {memory: 256Mi}}");

        assertThat(resources("")).isEqualTo(defaults);
        assertThat(resources("agent: {resources: {}}, ")).isEqualTo(defaults);
        assertThat(resources("agent: {resources: {requests: {cpu: 100m}}}, "))
                .isEqualTo(yaml("{requests: {cpu: 100m}}"));
        assertThat(resources("agent: {resources: {limits: {cpu: '1'}}}, ")).isEqualTo(yaml("{limits: {cpu: '1'}}"));
    }

    @Test
    @Tag("parity-84")
    void passesOnWhatTheUserWantsOfThePod() {
        var template = deployment("""
                agent: {podLabels: {team: blue}, podAnnotations: {note: hello}, nodeSelector: {disk: ssd},
                  tolerations: [{key: edge, operator: Exists, effect: NoSchedule}], priorityClassName: important,
                  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
                    {matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}},\s""", TOKEN).at("/spec/template");

        assertThat(template.at("/metadata/labels/team").asText()).isEqualTo("blue");
        assertThat(template.at("/metadata/annotations/note").asText()).isEqualTo("hello");
        assertThat(template.at("/spec/nodeSelector")).isEqualTo(yaml("{disk: ssd}"));
        assertThat(template.at("/spec/tolerations"))
                .isEqualTo(yaml("[{key: edge, operator: Exists, effect: NoSchedule}]"));
        assertThat(template.at("/spec/priorityClassName").asText()).isEqualTo("important");
        assertThat(template.at("/spec/affinity")).isEqualTo(yaml("""
                {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
                  {matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}"""));
    }

    @Test
    @Tag("parity-85")
    void mountsTheClientCertificate() {
        var withCa = pod("", MTLS.formatted(CA));
        var without = pod("", MTLS.formatted(""));

        assertThat(mtlsFiles(withCa)).containsExactly("tls.crt", "tls.key", "ca.crt");
        assertThat(mtlsFiles(without)).containsExactly("tls.crt", "tls.key");
        assertThat(mtlsFiles(pod("", TOKEN))).isEmpty();
        assertThat(named(withCa.at("/containers/0/volumeMounts"), "mtls"))
                .containsExactly(yaml("{name: mtls, mountPath: /var/run/rstream/mtls, readOnly: true}"));
    }

    private static List<String> mtlsFiles(JsonNode pod) {
        return named(pod.path("volumes"), "mtls").stream()
                .flatMap(volume -> volume.at("/projected/sources").valueStream())
                .peek(source -> assertThat(source.at("/secret/name").asText()).isEqualTo("credentials"))
                .map(source -> source.at("/secret/items/0/path").asText())
                .toList();
    }

    private static List<JsonNode> named(JsonNode list, String name) {
        return list.valueStream()
                .filter(entry -> entry.path("name").asText().equals(name))
                .toList();
    }

    private static JsonNode resources(String fields) {
        return pod(fields, TOKEN).at("/containers/0/resources");
    }

    private static JsonNode labels(String component) {
        return yaml("""
                app.kubernetes.io/name: rstream-operator
                app.kubernetes.io/instance: %s
                app.kubernetes.io/component: %s
                app.kubernetes.io/managed-by: rstream-operator
                app.kubernetes.io/part-of: rstream
                rstream.io/tunnel-name: web
                rstream.io/tunnel-namespace: demo
                rstream.io/tunnel-uid: uid-1
                """.formatted(BASE, component));
    }

    private static JsonNode pod(String fields, String connection) {
        return deployment(fields, connection).at("/spec/template/spec");
    }

    private static JsonNode deployment(String fields, String connection) {
        return children(fields, connection).getLast();
    }

    private static JsonNode config(String fields, String connection) {
        return yaml(
                children(fields, connection).getFirst().at("/data/config.yaml").asText());
    }

    /** The children of demo/web in their order, over a Service with both transports. */
    private static List<JsonNode> children(String fields, String connection) {
        var inputs = Samples.inputs(
                Samples.web("{" + fields + "target: {service: {name: web, port: 8080}}}"),
                Samples.connection(connection),
                SECRET,
                Samples.service("[{name: a, port: 8080}, {name: b, port: 8080, protocol: UDP}]"));
        var plan = new TunnelPlanner(
                        ConnectionResolver.withoutControlPlane(), new AgentDefaults("default-agent:1", List.of()))
                .plan(inputs);
        assertThat(plan).isInstanceOf(TunnelPlan.Ready.class);
        return ((TunnelPlan.Ready) plan)
                .workload().children().stream()
                        .map(child -> yaml(Samples.YAML.asYaml(child)))
                        .collect(Collectors.toList());
    }

    private static JsonNode yaml(String text) {
        try {
            return YAML.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
