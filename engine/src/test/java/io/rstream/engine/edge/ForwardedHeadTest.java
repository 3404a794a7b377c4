package io.rstream.engine.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.rstream.engine.edge.RequestDecision.Sound;
import io.rstream.engine.edge.RequestDecision.Unsound;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardedHeadTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Forwarded",
                "X-Forwarded-For",
                "X_Forwarded_For",
                "x-forwarded_host",
                "X-Forwarded-Port",
                "X-Forwarded-Prefix",
                "X-Real-IP",
                "X_REAL_IP",
                "True-Client-IP",
                "X-Client-IP",
                "X-Cluster-Client-IP"
            })
    void dropsWhatACallerSaysAboutItsOwnAddress(String name) {
        HttpRequest request = request(HttpMethod.GET);
        request.headers().add(name, "10.9.8.7");

        HttpHeaders headers = forwarded(request);

        assertThat(headers.entries())
                .noneSatisfy(header -> assertThat(header.getValue()).contains("10.9.8.7"));
        assertThat(headers.getAll("X-Forwarded-For")).containsExactly("127.0.0.1");
    }

    @Test
    void dropsWhatConnectionNamesAndKeepsTheRestInOrder() {
        HttpRequest request = request(HttpMethod.GET);
        request.headers()
                .add("Connection", "X-Hop, keep-alive,, Content-Length")
                .add("X-Hop", "1")
                .add("Content-Length", "0")
                .add("Cookie", "a")
                .add("x-hop", "2")
                .add("Cookie", "b");

        HttpHeaders headers = forwarded(request);

        assertThat(headers.contains("X-Hop")).isFalse();
        assertThat(headers.contains("Connection")).isFalse();
        assertThat(headers.get("Content-Length")).isEqualTo("0");
        assertThat(headers.getAll("Cookie")).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH"})
    void saysThatARequestHasNoBodyWhereOneIsUsual(String method) {
        HttpRequest request = request(HttpMethod.valueOf(method));

        assertThat(forwarded(request).get("Content-Length")).isEqualTo("0");
    }

    @Test
    void saysNothingAboutLengthWhereABodyIsChunkedOrUnusual() {
        HttpRequest chunked = request(HttpMethod.POST);
        chunked.headers().set("Transfer-Encoding", "chunked");

        assertThat(forwarded(chunked).contains("Content-Length")).isFalse();
        assertThat(forwarded(chunked).get("Transfer-Encoding")).isEqualTo("chunked");
        assertThat(forwarded(request(HttpMethod.GET)).contains("Content-Length"))
                .isFalse();
        assertThat(forwarded(request(HttpMethod.DELETE)).contains("Content-Length"))
                .isFalse();
    }

    @Test
    void refusesMoreConnectionOptionsThanAnyCallerNeeds() {
        HttpRequest most = request(HttpMethod.GET);
        most.headers().add("Connection", "a,".repeat(RequestRules.MOST_CONNECTION_OPTIONS));
        HttpRequest tooMany = request(HttpMethod.GET);
        tooMany.headers().add("Connection", "a,".repeat(RequestRules.MOST_CONNECTION_OPTIONS));
        tooMany.headers().add("Connection", "b");

        assertThat(RequestRules.decide(most)).isInstanceOf(Sound.class);
        assertThat(RequestRules.decide(tooMany))
                .isInstanceOfSatisfying(
                        Unsound.class,
                        unsound -> assertThat(unsound.answer().status()).isEqualTo(HttpResponseStatus.BAD_REQUEST));
    }

    @Test
    void refusesMoreHeaderFieldsThanAnyCallerNeeds() {
        HttpRequest request = request(HttpMethod.GET);
        for (int i = request.headers().size(); i < RequestRules.MOST_HEADERS; i++) {
            request.headers().add("x", "");
        }

        assertThat(RequestRules.decide(request)).isInstanceOf(Sound.class);
        request.headers().add("x", "");
        assertThat(RequestRules.decide(request))
                .isInstanceOfSatisfying(
                        Unsound.class,
                        unsound -> assertThat(unsound.answer().status()).isEqualTo(HttpResponseStatus.BAD_REQUEST));
    }

    @Test
    void passesAResponseOnWithoutItsConnectionHeaders() {
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        response.headers()
                .add("Connection", "x-hop")
                .add("X-Hop", "1")
                .add("Keep-Alive", "timeout=5")
                .add("Transfer-Encoding", "chunked")
                .add("X-Forwarded-For", "kept");

        HttpHeaders headers = ForwardedHead.response(response).headers();

        assertThat(headers.names()).containsExactly("X-Forwarded-For");
    }

    private static HttpRequest request(HttpMethod method) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, "/");
        request.headers().set("Host", "web.t.localhost");
        return request;
    }

    private static HttpHeaders forwarded(HttpRequest request) {
        Sound sound = (Sound) RequestRules.decide(request);
        return ForwardedHead.request(request, sound, InetAddress.getLoopbackAddress())
                .headers();
    }
}
