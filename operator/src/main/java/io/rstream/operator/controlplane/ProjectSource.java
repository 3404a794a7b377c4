package io.rstream.operator.controlplane;

/** Where projects are looked up. */
@FunctionalInterface
interface ProjectSource {

    /**
     * Looks a project up. Blocks for seconds at most.
     *
     * @throws LookUpException when there is none, or no answer
     */
    Project lookUp(LookUpTarget target, Credentials credentials) throws LookUpException, InterruptedException;
}
