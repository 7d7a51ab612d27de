// Exact decimals: numbers of JavaScript would lose digits of amounts.

/** A decimal: `digits` divided by ten to the power of `scale`. */
export type Decimal = { digits: bigint; scale: number };

export const ZERO: Decimal = { digits: 0n, scale: 0 };

const FORM = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** @throws RangeError if the text is not a decimal of the gateway's form. */
export function decimal(text: string): Decimal {
  const parts = FORM.exec(text);
  if (!parts) throw new RangeError(`not a decimal: ${text}`);
  const [, sign = '', units = '', fraction = '', exponent = '0'] = parts;
  const digits = BigInt(`${sign}${units}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { digits: at(one, scale) + at(other, scale), scale };
}

export function subtract(one: Decimal, other: Decimal): Decimal {
  return add(one, { digits: -other.digits, scale: other.scale });
}

/** Returns a negative number, zero or a positive number, as `one` is less than, equal to or more than `other`. */
export function compare(one: Decimal, other: Decimal): number {
  const { digits } = subtract(one, other);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** Adds all texts that are there. */
export function sum(texts: Iterable<string | null | undefined>): Decimal {
  let total = ZERO;
  for (const text of texts) {
    if (text != null) total = add(total, decimal(text));
  }
  return total;
}

/** Writes all digits, without an exponent. */
export function text({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const fraction = all.slice(all.length - scale).replace(/0+$/, '');
  const units = scale === 0 ? all : all.slice(0, -scale);
  return `${sign}${units}${scale > 0 && fraction !== '' ? `.${fraction}` : ''}`;
}

/** Returns the nearest number of JavaScript, for drawings alone. */
export function toNumber(value: Decimal): number {
  return Number(text(value));
}

function at({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}
