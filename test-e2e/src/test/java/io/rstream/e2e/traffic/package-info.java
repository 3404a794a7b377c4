/**
 * Real traffic from a public caller through engine and agent to a service, byte by byte where it matters. Start at {@link
 * io.rstream.e2e.traffic.Traffic}, {@link io.rstream.e2e.traffic.RawBackend} and {@link io.rstream.e2e.traffic.RawCaller}.
 */
package io.rstream.e2e.traffic;
