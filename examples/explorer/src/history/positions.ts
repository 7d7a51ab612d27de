// Which positions a chart can show, and which one it shows.

import { slugOf } from '../api/networks.js';
import { compare, decimal } from '../base/decimal.js';
import type { Held, Point } from './reading.js';
import type { Series } from './series.js';

/** What the reader chose: a position, and in it an amount; without one, its value in dollars. */
export type Choice = { id?: string; amount?: string };

type OfPosition = Extract<Series, { of: 'position' }>;

/** Returns every position that any point has, as its newest point has it: the most valuable first. */
export function heldIn(points: Point[]): Held[] {
  const found = new Map<string, Held>();
  for (const point of points) {
    if (point.state === 'read') for (const [id, held] of point.answer.held) found.set(id, held);
  }
  return [...found.values()].sort(byValue);
}

function byValue(one: Held, other: Held): number {
  if (one.dollarValue === null || other.dollarValue === null) return Number(one.dollarValue === null) - Number(other.dollarValue === null);
  return compare(decimal(other.dollarValue), decimal(one.dollarValue));
}

/** Returns the series of the chosen position, else of the most valuable one; null if there is none. */
export function chosenSeries(held: Held[], choice: Choice): OfPosition | null {
  const position = held.find(({ id }) => id === choice.id) ?? held[0];
  if (!position) return null;
  // Without a price, amounts are all that can be drawn.
  const otherwise = position.dollarValue === null ? position.amounts[0]?.key : undefined;
  const amount = choice.id === position.id ? choice.amount : otherwise;
  return { of: 'position', position, network: slugOf(position.network.chainId), ...(amount === undefined ? {} : { amount }) };
}
