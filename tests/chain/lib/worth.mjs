// The worth of tokens in dollars, as exact fractions: by the profile's prices, and a pair's share by those of its
// halves. Nothing else is made up: `null` where there is no price.
import { add, div, fraction, mul, parse } from './decimal.mjs';
import { squareRoot } from './models.mjs';

const ROOT_DIGITS = 60n; // Far more than are shown.

// Of one whole token.
export function priceOf(prices, token) {
  if (prices[token.address]) return parse(prices[token.address]);
  if (!token.reserves) return null;
  const halves = token.reserves.map(({ half, amount }) => {
    const price = priceOf(prices, half);
    return price && worth(half, amount, price);
  });
  return halves.includes(null) ? null : perShare(token, fair(halves));
}

// Of an amount in smallest units.
export function worth({ decimals }, amount, price) {
  return mul(fraction(amount, 10n ** BigInt(decimals)), price);
}

// Of one whole share of a pair whose reserves are worth that in all.
export function perShare({ supply, decimals }, total) {
  return div(total, fraction(supply, 10n ** BigInt(decimals)));
}

// The worth of both reserves if the pair traded at their prices: each as much as the other, with the same product.
export function fair([one, other]) {
  return mul(root(mul(one, other)), fraction(2));
}

// The worth of both reserves as they are.
export function spot([one, other]) {
  return add(one, other);
}

function root({ n, d }) {
  const scale = 10n ** ROOT_DIGITS;
  return fraction(squareRoot(n * d * scale * scale), d * scale);
}
