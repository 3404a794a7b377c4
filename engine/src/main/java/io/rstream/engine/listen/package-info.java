/** The public port: TLS, and which connection goes where. Start at {@link Listener} and {@link Certificates}. */
@NullMarked
package io.rstream.engine.listen;

import org.jspecify.annotations.NullMarked;
