/** Tests of the wire protocol. */
@NullMarked
package io.rstream.protocol;

import org.jspecify.annotations.NullMarked;
