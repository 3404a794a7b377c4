/**
 * A client that we did not write, the official rstream SDK for Python, against our engine. Start at {@link
 * io.rstream.e2e.sdk.PythonSdkE2E}.
 */
package io.rstream.e2e.sdk;
