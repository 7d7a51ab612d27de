// Exact amounts. Numbers of JavaScript keep about 15 digits, so amounts stay strings, or become bigints.

/**
 * Returns an amount of whole units in smallest units: `toRaw('1.5', 6)` is `1500000n`.
 *
 * @throws RangeError if the text is not an amount, or has more digits after the point than the token has decimals.
 */
export function toRaw(amount: string, decimals: number): bigint {
  const parts = /^(\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/i.exec(amount);
  if (!parts) throw new RangeError(`not an amount: ${amount}`);
  const [, units = '', fraction = '', exponent = '0'] = parts;
  const zeros = decimals + Number(exponent) - fraction.length;
  const digits = BigInt(units + fraction);
  if (zeros >= 0) return digits * 10n ** BigInt(zeros);
  const divisor = 10n ** BigInt(-zeros);
  if (digits % divisor !== 0n) throw new RangeError(`${amount} has more than ${decimals} decimals`);
  return digits / divisor;
}
