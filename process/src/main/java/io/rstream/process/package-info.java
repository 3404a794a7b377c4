/**
 * What every long-running process of this project needs: ordered start and stop, exit codes, JSON log lines, health and
 * metrics over HTTP, and the text forms that flags and configuration files share.
 *
 * <p>Start at {@link io.rstream.process.Application}, {@link io.rstream.process.ManagementServer} and {@link
 * io.rstream.process.JsonLog}.
 */
@NullMarked
package io.rstream.process;

import org.jspecify.annotations.NullMarked;
