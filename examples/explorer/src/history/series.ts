// What a chart draws of its points: one value each, or why it has none.

import { type Missing } from '../api/client.js';
import { networkOfSlug } from '../api/networks.js';
import { isStanding } from '../base/reasons.js';
import { reasonOf } from './reasons.js';
import type { Held, Point } from './reading.js';

/** What is drawn: a sum in dollars, or an amount of a token. */
export type Series =
  | { of: 'net' }
  /** `amount` is the key of one of the position's amounts; without it, the value in dollars. */
  | { of: 'position'; position: Held; network: string; amount?: string };

export type Value =
  | { state: 'waiting' }
  /** `apart` says what the value leaves out. */
  | { state: 'known'; value: string; apart: string | null }
  | { state: 'gap'; why: string };

/** Returns the value of a series at a point. */
export function valueAt(point: Point, series: Series): Value {
  if (point.state === 'failed') return { state: 'gap', why: point.why };
  if (point.state !== 'read') return { state: 'waiting' };
  return series.of === 'net' ? netAt(point.answer) : positionAt(point.answer, series);
}

type Answer = Extract<Point, { state: 'read' }>['answer'];

function netAt({ net, unpriced, missing }: Answer): Value {
  const passing = missing.filter(({ reason }) => !isStanding(reason));
  // A sum without a protocol would look like a loss.
  if (passing.length > 0) return { state: 'gap', why: passing.map(inWords).join('; ') };
  if (net === null) return { state: 'gap', why: 'the sum is not known' };
  return { state: 'known', value: net, apart: unpriced > 0 ? withoutPrice(unpriced) : null };
}

function positionAt({ held, missing }: Answer, { position, network, amount }: Extract<Series, { of: 'position' }>): Value {
  const found = held.get(position.id);
  if (!found) {
    const gaps = missing.filter((gap) => covers(gap, position.protocol.slug, network));
    return { state: 'gap', why: gaps.length > 0 ? gaps.map(inWords).join('; ') : 'the account did not have it' };
  }
  if (amount === undefined) {
    return found.dollarValue === null ? { state: 'gap', why: 'a price is not known' } : known(found.dollarValue);
  }
  const part = found.amounts.find(({ key }) => key === amount);
  if (!part) return { state: 'gap', why: 'the position did not have this amount' };
  return part.amount === null ? { state: 'gap', why: 'the token could not be read' } : known(part.amount);
}

function known(value: string): Value {
  return { state: 'known', value, apart: null };
}

function withoutPrice(count: number): string {
  return `without ${count} ${count === 1 ? 'amount that has' : 'amounts that have'} no price`;
}

/** True if what is missing may hold rows of a protocol on a network. */
function covers({ what, network: where }: Missing, protocol: string, network: string): boolean {
  return (what === '*' || what === protocol) && (where === '*' || where === network);
}

/** Writes what is missing: `aave_v3 on ethereum: it took too long`. */
function inWords(missing: Missing): string {
  return `${placeOf(missing)}: ${reasonOf(missing.reason) ?? missing.reason}`;
}

export function placeOf({ what, network }: Missing): string {
  const where = network === '*' ? 'all networks' : (networkOfSlug(network)?.name ?? network);
  return what === '*' ? where : `${what} on ${where}`;
}

/** Returns what all known values leave out alike; null if some leave out something else. */
export function apartOf(values: Value[]): string | null {
  const all = new Set(values.flatMap((value) => (value.state === 'known' ? [value.apart] : [])));
  const [first = null] = all;
  return all.size === 1 ? first : null;
}

/** Gaps with one reason, which may be of many points. */
export type Gap = { why: string; times: number[] };

/** Joins gaps by their reasons, in the order of the points. */
export function gapsOf(points: Point[], values: Value[]): Gap[] {
  const byReason = new Map<string, number[]>();
  values.forEach((value, index) => {
    const point = points[index];
    if (value.state !== 'gap' || !point) return;
    byReason.set(value.why, [...(byReason.get(value.why) ?? []), point.at]);
  });
  return [...byReason].map(([why, times]) => ({ why, times }));
}
