// Fixed-point arithmetic as Aave's contracts round it: half up, in wad (1e18), ray (1e27)
// and basis points.
export const WAD = 10n ** 18n;
export const RAY = 10n ** 27n;
const WHOLE = 10_000n; // Basis points.
const YEAR_SECONDS = 31_536_000n;

const mulBy = (unit) => (a, b) => (a * b + unit / 2n) / unit;
const divBy = (unit) => (a, b) => (a * unit + b / 2n) / b;

export const rayMul = mulBy(RAY);
export const rayDiv = divBy(RAY);
export const wadDiv = divBy(WAD);
export const percentMul = mulBy(WHOLE);

// Factors by which supply and debt grow in that many seconds at that rate a year.
export function linear(rate, seconds) {
  return RAY + (rate * seconds) / YEAR_SECONDS;
}

// The first three terms of the binomial series of (1 + rate a second)^seconds.
export function compounded(rate, seconds) {
  if (seconds === 0n) return RAY;
  const squared = rayMul(rate, rate) / YEAR_SECONDS ** 2n;
  const cubed = rayMul(squared, rate) / YEAR_SECONDS;
  const beforeLast = seconds > 2n ? seconds - 2n : 0n;
  const second = (seconds * (seconds - 1n) * squared) / 2n;
  const third = (seconds * (seconds - 1n) * beforeLast * cubed) / 6n;
  return RAY + (rate * seconds) / YEAR_SECONDS + second + third;
}
