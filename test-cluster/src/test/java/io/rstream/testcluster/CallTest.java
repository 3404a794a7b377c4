package io.rstream.testcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallTest {

    @ParameterizedTest
    @CsvSource({
        "GET,/api/v1/pods?watch=true,watch,'',pods,'','',''",
        "GET,/api/v1/namespaces/shop/pods,list,'',pods,'',shop,''",
        "GET,/api/v1/namespaces/shop,get,'',namespaces,'','',shop",
        "PUT,/api/v1/namespaces/shop/finalize,update,'',namespaces,finalize,'',shop",
        "PATCH,/apis/tunnels.rstream.io/v1alpha1/namespaces/shop/rstreamtunnels/web/status?force=true,"
                + "patch,tunnels.rstream.io,rstreamtunnels,status,shop,web",
        "POST,/api/v1/namespaces/shop/serviceaccounts/web/token,create,'',serviceaccounts,token,shop,web",
        "DELETE,/apis/apps/v1/namespaces/shop/deployments/web,delete,apps,deployments,'',shop,web",
        "DELETE,/apis/apps/v1/namespaces/shop/deployments,deletecollection,apps,deployments,'',shop,''",
        "GET,/version,get,'','','','',/version",
    })
    void readsARequestInTheWordsOfRbac(
            String method,
            String uri,
            String verb,
            String group,
            String resource,
            String subresource,
            String namespace,
            String name) {

        var call = Call.of(method, URI.create(uri), "someone");

        assertThat(call).isEqualTo(new Call("someone", verb, group, resource, subresource, namespace, name, 0));
    }
}
