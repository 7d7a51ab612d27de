// The last hour by steps. A step that the gateway does not have is missing: it had not started then.

import type { History, Step } from './types.js';

const HOUR_S = 3600;

export type Slot = { at: number; step: Step | null };

/** Returns a place for each step of the hour that ends with the newest one. */
export function slotsOf({ stepSeconds, points }: History): Slot[] {
  const last = points.at(-1)?.at;
  if (last === undefined || !(stepSeconds > 0)) return [];
  const count = Math.ceil(HOUR_S / stepSeconds);
  const slots: Slot[] = Array.from({ length: count }, (_, index) => ({ at: last - (count - 1 - index) * stepSeconds, step: null }));
  for (const step of points) {
    const slot = slots[count - 1 - Math.round((last - step.at) / stepSeconds)];
    if (slot) slot.step = step;
  }
  return slots;
}
