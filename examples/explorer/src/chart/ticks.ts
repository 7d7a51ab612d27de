// How numbers on axes are written: short, and no two alike.

import { digitsOf } from './scale.js';

const SHORT_FROM = 10_000;
/** More digits than this behind a `K` or an `M` are harder to read than the number itself. */
const SHORT_DIGITS_MAX = 2;

/** Writes a tick so that it differs from those one step away. */
export function tick(value: number, step: number, options: Intl.NumberFormatOptions = {}): string {
  const unit = value === 0 ? 1 : 1000 ** Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-9);
  const short = digitsOf(step / unit);
  if (Math.abs(value) >= SHORT_FROM && short <= SHORT_DIGITS_MAX) {
    return new Intl.NumberFormat(undefined, { ...options, notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: short }).format(value);
  }
  const digits = digitsOf(step);
  return new Intl.NumberFormat(undefined, { ...options, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

/** Writes dollars on an axis. */
export function dollarTick(value: number, step: number): string {
  return tick(value, step, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' });
}
