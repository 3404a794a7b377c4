/**
 * What is wrong on purpose: flags, files, frames, requests and agents. Each has one clear message or the documented code, and
 * nothing hangs. Start at {@link io.rstream.e2e.input.WrongSetUpE2E} and {@link io.rstream.e2e.input.WrongTrafficE2E}.
 */
package io.rstream.e2e.input;
