/** The engine's read API that command-line tools use. Start at {@link EngineApi}. */
@NullMarked
package io.rstream.engine.api;

import org.jspecify.annotations.NullMarked;
