// Scales and ticks of charts. Numbers here are for drawing alone: what is written beside it has all digits.

export type Scale = (value: number) => number;
export type Interval = [low: number, high: number];

/** Maps an interval to pixels. An interval of one value lies in the middle. */
export function scale([low, high]: Interval, [start, end]: Interval): Scale {
  const width = high - low;
  return (value) => (width === 0 ? (start + end) / 2 : start + ((value - low) / width) * (end - start));
}

/** Returns the step of about `count` ticks: 1, 2 or 5 times a power of ten. */
export function tickStep([low, high]: Interval, count: number): number {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 5, 10].map((factor) => factor * power);
  return steps.find((step) => step >= rough * (1 - 1e-9)) ?? 10 * power;
}

/** Widens an interval to whole steps, and returns it with all ticks in it. */
export function nice([low, high]: Interval, count: number): { domain: Interval; step: number; ticks: number[] } {
  const room = high === low ? Math.abs(high) * 0.05 || 1 : (high - low) * 0.04;
  // Room below zero would say that there may be debts.
  const padded: Interval = [low >= 0 ? Math.max(0, low - room) : low - room, low < 0 && high <= 0 ? Math.min(0, high + room) : high + room];
  const step = tickStep(padded, count);
  const first = Math.floor(padded[0] / step);
  const last = Math.ceil(padded[1] / step);
  // Multiples, not sums: sums of fractions drift.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => rounded((first + index) * step, step));
  return { domain: [ticks[0] ?? low, ticks.at(-1) ?? high], step, ticks };
}

/** Returns how many digits behind the point tell ticks of this step apart. */
export function digitsOf(step: number): number {
  return Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

/** Returns the indices that get a label: evenly spaced, with the last one, and at most `most`. */
export function labelled(count: number, most: number): number[] {
  if (count === 0 || most < 1) return [];
  const every = Math.ceil(count / most);
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => count - 1 - index * every).reverse();
}

function rounded(value: number, step: number): number {
  // `|| 0` makes zero of minus zero, which would be written with its sign.
  return Number(value.toFixed(digitsOf(step))) || 0;
}
