// Figures in words.

import { fromNow } from '../base/format.js';

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const SHORT = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

export function number(value: number): string {
  return NUMBER.format(value);
}

export function milliseconds(value: number): string {
  return `${SHORT.format(value)} ms`;
}

export function megabytes(bytes: number): string {
  return `${SHORT.format(bytes / 1e6)} MB`;
}

export function seconds(value: number): string {
  return `${SHORT.format(value)} s`;
}

/** Writes how long ago an RFC 3339 time is; what is not a time stays as it is. */
export function ago(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : fromNow(at / 1000);
}

/** Counts things: `1 plugin`, `3 plugins`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
