// Reasons why something is missing.

/** Reasons that hold at every block and for every try: the gateway never reads this. */
const STANDING = new Set(['disabled', 'not-allowed', 'not-configured', 'not-covered', 'rejected']);

/** True if what is missing is missing whenever it is read. */
export function isStanding(reason: string): boolean {
  return STANDING.has(reason);
}
