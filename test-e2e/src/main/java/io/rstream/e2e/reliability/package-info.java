/**
 * What faults cost: breaks one thing at a time under steady traffic and writes the table of docs/reliability.md. Start at
 * {@link io.rstream.e2e.reliability.FaultRun}.
 */
@NullMarked
package io.rstream.e2e.reliability;

import org.jspecify.annotations.NullMarked;
