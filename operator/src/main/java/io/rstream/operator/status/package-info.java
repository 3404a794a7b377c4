/**
 * Writes the operator's part of a status beside the parts of others. Start at {@link
 * io.rstream.operator.status.StatusWriter}.
 */
@NullMarked
package io.rstream.operator.status;

import org.jspecify.annotations.NullMarked;
