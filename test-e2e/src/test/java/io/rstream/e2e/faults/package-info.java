/**
 * What happens when something breaks, and what the conditions say meanwhile. Start at {@link
 * io.rstream.e2e.faults.DependencyFaultsE2E}.
 */
@NullMarked
package io.rstream.e2e.faults;

import org.jspecify.annotations.NullMarked;
