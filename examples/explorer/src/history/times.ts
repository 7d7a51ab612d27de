// The times of a chart. They are whole days or half days in UTC, so that everybody who looks asks for the same blocks.

export const RANGES = [
  { days: 7, stepHours: 12 },
  { days: 30, stepHours: 24 },
  { days: 90, stepHours: 72 },
] as const;

export type Range = (typeof RANGES)[number];

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Returns the times of a range in Unix seconds, the oldest first. The last one is the newest whole step up to `now`. */
export function timesOf({ days, stepHours }: Range, nowSeconds: number): number[] {
  const step = stepHours * HOUR;
  // Steps of several days end at the newest day: nobody waits three days for a point.
  const unit = Math.min(step, DAY);
  const last = Math.floor(nowSeconds / unit) * unit;
  const count = (days * DAY) / step + 1;
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * step);
}

/** Writes a time as `block=` takes it. */
export function blockAt(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace('.000Z', 'Z');
}
