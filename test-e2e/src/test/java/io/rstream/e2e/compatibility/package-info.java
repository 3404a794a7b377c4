/**
 * Which test shows which promise of the compatibility list, and the page that says so. Start at {@link
 * io.rstream.e2e.compatibility.CompatibilityPageTest}.
 */
@NullMarked
package io.rstream.e2e.compatibility;

import org.jspecify.annotations.NullMarked;
