// Times, positions and values of a chart in words.

import { networkName, protocolName } from '../account/names.js';
import { amount, dollars } from '../base/format.js';
import { clean, cut } from '../base/text.js';
import type { Held } from './reading.js';
import type { Series, Value } from './series.js';

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

const isMidnight = (unixSeconds: number) => unixSeconds % 86_400 === 0;

/** Labels a time on an axis; only days have labels. */
export function axisTime(unixSeconds: number): string {
  return isMidnight(unixSeconds) ? DAY.format(unixSeconds * 1000) : '';
}

/** Writes a time where a heading says that it is in UTC. Midnight is the beginning of its day. */
export function tableTime(unixSeconds: number): string {
  return (isMidnight(unixSeconds) ? DATE : MOMENT).format(unixSeconds * 1000);
}

export function shownTime(unixSeconds: number): string {
  return `${tableTime(unixSeconds)} UTC`;
}

/** Names a position: `Quickswap · PLN0 farm · Polygon`. */
export function nameOf({ protocol, name, network }: Held): string {
  return [protocolName(protocol), name, networkName(network)].map((words) => cut(clean(words))).join(' · ');
}

/** Writes a value, or why there is none. */
export function shownValue(value: Value, series: Series): string {
  if (value.state === 'waiting') return 'not read yet';
  if (value.state === 'gap') return `missing: ${value.why}`;
  const symbol = symbolOf(series);
  return symbol === null ? dollars(value.value) : `${amount(value.value)} ${cut(clean(symbol), 14)}`;
}

/** Returns the symbol of the token whose amounts a series has, or null if it is in dollars. */
export function symbolOf(series: Series): string | null {
  if (series.of === 'net' || series.amount === undefined) return null;
  return series.position.amounts.find(({ key }) => key === series.amount)?.symbol ?? 'units';
}
