/** The rules that all modules keep. Start at {@link io.rstream.e2e.architecture.ArchitectureTest}. */
@NullMarked
package io.rstream.e2e.architecture;

import org.jspecify.annotations.NullMarked;
