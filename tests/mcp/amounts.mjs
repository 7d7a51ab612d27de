// Exact decimals: no figure here is a float.
import assert from 'node:assert/strict';
import { formatUnits, parseUnits } from 'viem';

const DIGITS = 36;
/** Sums of rounded dollars may differ from the rounded sum by this part. */
const PART = 10n ** 12n;

/** The sum of decimals, with all digits. */
export function sum(/** @type {string[]} */ decimals) {
  return formatUnits(decimals.reduce((sum, decimal) => sum + parseUnits(decimal, DIGITS), 0n), DIGITS);
}

/** A decimal without zeros at its end. */
export const exact = (/** @type {string} */ decimal) => sum([decimal]);

/** Fails unless two sums of rounded figures are one. */
export function near(/** @type {string} */ found, /** @type {string} */ expected) {
  const [left, right] = [found, expected].map((decimal) => parseUnits(decimal, DIGITS));
  const difference = left > right ? left - right : right - left;
  assert.ok(difference * PART <= (right < 0n ? -right : right), `${found} is not ${expected}`);
}
