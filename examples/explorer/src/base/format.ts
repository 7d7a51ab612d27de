// Numbers and times as the reader's language writes them. What is short here stands in full beside it or on demand.

import { compare, type Decimal, decimal, text, ZERO } from './decimal.js';

/** Amounts below are shown as less than it: nobody compares digits further right. */
const AMOUNT_MIN = decimal('0.000001');
/** Rates above say nothing but that they are very high. */
const RATE_MAX = decimal('100');
const CENT = decimal('0.01');

type Exact = Intl.StringNumericLiteral;
// Rounded towards zero, so that nothing looks like more than it is.
const AMOUNT = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6, roundingMode: 'trunc' });
const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0, roundingMode: 'trunc' });
const DOLLARS = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' });
const SMALL_DOLLARS = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', maximumSignificantDigits: 2 });
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });
const FACTOR = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2, roundingMode: 'trunc' });
const COUNT = new Intl.NumberFormat();
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
// Words are in the page's language.
const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

// Browsers format a bounded number of digits after the point, so these are written one by one.
const POINT = COUNT.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
const DIGITS = Array.from({ length: 10 }, (_, digit) => COUNT.format(digit));

const exact = (value: Decimal) => text(value) as Exact;

/** Shortens an amount to what is read at a glance. */
export function amount(value: string): string {
  const number = decimal(value);
  const magnitude = { ...number, digits: number.digits < 0n ? -number.digits : number.digits };
  if (number.digits !== 0n && compare(magnitude, AMOUNT_MIN) < 0) {
    return number.digits < 0n ? `> −${AMOUNT.format(exact(AMOUNT_MIN))}` : `< ${AMOUNT.format(exact(AMOUNT_MIN))}`;
  }
  const large = compare(magnitude, decimal('1000000')) >= 0;
  return (large ? WHOLE : AMOUNT).format(exact(number));
}

/** Writes an amount with all of its digits. */
export function fullAmount(value: string): string {
  return full(decimal(value));
}

function full(value: Decimal): string {
  const [units = '0', fraction] = text(value).split('.');
  // The sign of a number between 0 and -1 would be lost with its units.
  const sign = units === '-0' ? '-' : '';
  return `${sign}${COUNT.format(BigInt(units))}${fraction === undefined ? '' : POINT + [...fraction].map((digit) => DIGITS[Number(digit)]).join('')}`;
}

/** Writes dollars with cents; of less than a cent, that it is less. */
export function dollars(value: string | Decimal): string {
  const number = typeof value === 'string' ? decimal(value) : value;
  const magnitude = { ...number, digits: number.digits < 0n ? -number.digits : number.digits };
  if (number.digits === 0n || compare(magnitude, CENT) >= 0) return DOLLARS.format(exact(number));
  return number.digits < 0n ? `> −${DOLLARS.format('0.01')}` : `< ${DOLLARS.format('0.01')}`;
}

/** Writes dollars with all of their digits. */
export function fullDollars(value: string | Decimal): string {
  return `${full(typeof value === 'string' ? decimal(value) : value)} USD`;
}

/** Writes a price, which may be far below a cent. */
export function price(value: string): string {
  const number = decimal(value);
  return (compare(number, CENT) < 0 && compare(number, ZERO) > 0 ? SMALL_DOLLARS : DOLLARS).format(exact(number));
}

/** Writes a fraction per year as a percentage. */
export function rate(value: string): string {
  const number = decimal(value);
  return compare(number, RATE_MAX) > 0 ? `> ${PERCENT.format(exact(RATE_MAX))}` : PERCENT.format(exact(number));
}

/** Writes a health factor, rounded down: 0.999 is not 1. */
export function factor(value: string): string {
  const number = decimal(value);
  return compare(number, decimal('1000')) > 0 ? `> ${COUNT.format(1000)}` : FACTOR.format(exact(number));
}

export function count(value: number | bigint): string {
  return COUNT.format(value);
}

export function date(unixSeconds: number): string {
  return valid(unixSeconds) ? DATE.format(unixSeconds * 1000) : COUNT.format(unixSeconds);
}

export function moment(unixSeconds: number): string {
  return valid(unixSeconds) ? MOMENT.format(unixSeconds * 1000) : COUNT.format(unixSeconds);
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Writes a time as seen from now: `in 3 days`. */
export function fromNow(unixSeconds: number, nowSeconds = Date.now() / 1000): string {
  const away = unixSeconds - nowSeconds;
  const [unit, seconds] = UNITS.find(([, size]) => Math.abs(away) >= size) ?? ['second', 1];
  return AGO.format(Math.trunc(away / seconds), unit);
}

/** Shortens an address or a hash in its middle. */
export function shortHex(hex: string): string {
  return hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex;
}

/** True for times that a calendar has: contracts say `type(uint256).max` for never. */
function valid(unixSeconds: number): boolean {
  return Math.abs(unixSeconds) <= 8.64e12;
}
