import fc from "fast-check";

/**
 * Property tests try the same cases in each run, so that a change fails for its own faults alone.
 * `TEST_SEED=random` looks for others.
 */
const { TEST_SEED = "1" } = process.env;
if (TEST_SEED !== "random") fc.configureGlobal({ seed: Number(TEST_SEED) });
