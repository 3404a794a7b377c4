/** What the operator keeps of the objects that it watches. Start at {@link io.rstream.operator.cache.CompactItemStore}. */
@NullMarked
package io.rstream.operator.cache;

import org.jspecify.annotations.NullMarked;
