// Exact decimal arithmetic on BigInt fractions { n, d }: no floating point anywhere,
// because the expected values are compared digit by digit.

const DIGITS = 18; // As rounded on the wire.

export const fraction = (n, d = 1n) => ({ n: BigInt(n), d: BigInt(d) });
export const add = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const mul = (a, b) => fraction(a.n * b.n, a.d * b.d);
export const div = (a, b) => fraction(a.n * b.d, a.d * b.n);

// "1.25" -> 125/100
export function parse(text) {
  const [whole, decimals = ''] = text.split('.');
  return fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
}

// Rounds half-even to 18 significant digits and writes plain decimal text.
export function round({ n, d }) {
  if (n === 0n) return '0';
  let scale = DIGITS - (n.toString().length - d.toString().length); // One too many or right.
  while (scaled(n, d, scale).whole >= 10n ** BigInt(DIGITS)) scale--;
  const { whole, rest, divisor } = scaled(n, d, scale);
  const up = rest * 2n > divisor || (rest * 2n === divisor && whole % 2n === 1n);
  return plain(whole + (up ? 1n : 0n), scale);
}

// floor(n * 10^scale / d) and what is left of the division
function scaled(n, d, scale) {
  const dividend = scale > 0 ? n * 10n ** BigInt(scale) : n;
  const divisor = scale < 0 ? d * 10n ** BigInt(-scale) : d;
  return { whole: dividend / divisor, rest: dividend % divisor, divisor };
}

function plain(whole, scale) {
  if (scale <= 0) return (whole * 10n ** BigInt(-scale)).toString();
  const digits = whole.toString().padStart(scale + 1, '0');
  const decimals = digits.slice(-scale).replace(/0+$/, '');
  return digits.slice(0, -scale) + (decimals && `.${decimals}`);
}
