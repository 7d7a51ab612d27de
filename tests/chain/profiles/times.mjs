// The moments of every profile's history, in seconds. A period lasts 60 days: one that
// begins at OLD_PERIOD is over at the SNAPSHOT, one that begins at NEW_PERIOD runs on.
export const GENESIS = 1_740_000_000;
export const SETUP = GENESIS + 5_000;
export const FACTORY_GENESIS = GENESIS + 2_000; // Not before the factory, not after its first farm.
export const OLD_PERIOD = 1_740_100_000;
export const NEW_PERIOD = 1_748_000_000;
export const SNAPSHOT = 1_750_000_000;
