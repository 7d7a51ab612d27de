// Drawings of health and of price ranges. Each says in words what it shows.

import { decimal, toNumber } from '../base/decimal.js';
import { amount, factor } from '../base/format.js';
import { Tag } from '../base/parts.js';
import { cut, Words } from '../base/text.js';
import type { Position } from '../api/types.js';

type Health = NonNullable<Position['health']>;
type Range = NonNullable<Position['range']>;

/** Where the scale of health ends. */
const FACTOR_MAX = 3;

export function HealthDrawing({ health }: { health: Health }) {
  if (health.factor === null) return null;
  const value = toNumber(decimal(health.factor));
  const kind = value < 1.1 ? 'bad' : value < 1.5 ? 'warn' : 'good';
  const x = (Math.min(value, FACTOR_MAX) / FACTOR_MAX) * 300;
  const price = health.liquidationPrice;
  return (
    <div class="drawing">
      <p>Health factor <strong class={`number ${kind}`} title={health.factor}>{factor(health.factor)}</strong></p>
      <svg class="health" viewBox="0 0 300 16" width="300" height="16" role="img" aria-label={`Health factor ${factor(health.factor)} on a scale to ${FACTOR_MAX}; the loan can be liquidated below 1`}>
        <rect class="track" x="0" y="5" width="300" height="6" rx="3" />
        <rect class={`fill ${kind}`} x="0" y="5" width={Math.max(x, 3)} height="6" rx="3" />
        <line class="limit" x1="100" x2="100" y1="0" y2="16" />
        <circle class={`dot ${kind}`} cx={Math.min(Math.max(x, 5), 295)} cy="8" r="5" />
      </svg>
      <p class="note">
        {value < 1 ? 'It can be liquidated now.' : 'It can be liquidated below 1.'}
        {price?.price != null && <> That is at <span class="number" title={price.price}>{amount(price.price)}</span> <Words of={price.quote ?? ''} max={12} /> for one <Words of={price.base ?? 'unit'} max={12} />.</>}
      </p>
    </div>
  );
}

export function RangeDrawing({ range: { base, quote, lower, upper, isInRange } }: { range: Range }) {
  const words = (value: string | null, otherwise: string) => (value === null ? otherwise : amount(value));
  const unit = `${cut(quote ?? '?', 12)} for one ${cut(base ?? '?', 12)}`;
  const state = isInRange === null ? '' : isInRange ? 'the price is in the range' : 'the price is out of the range';
  return (
    <div class="drawing">
      <p>Price range {isInRange !== null && <Tag kind={isInRange ? 'good' : 'warn'}>{isInRange ? 'In range' : 'Out of range'}</Tag>}</p>
      <svg class="range" viewBox="0 0 300 16" width="300" height="16" role="img" aria-label={`Liquidity from ${words(lower, 'zero')} to ${words(upper, 'infinity')} ${unit}; ${state}`}>
        <rect class="track" x="0" y="7" width="300" height="2" rx="1" />
        <rect class={`fill ${isInRange === false ? 'out' : 'in'}`} x="60" y="4" width="180" height="8" rx="4" />
        <line class="limit" x1="60" x2="60" y1="0" y2="16" />
        <line class="limit" x1="240" x2="240" y1="0" y2="16" />
        {isInRange === true && <circle class="dot good" cx="150" cy="8" r="5" />}
      </svg>
      <p class="ends">
        <span class="number" title={lower ?? undefined}>{words(lower, '0')}</span>
        <span class="note">{unit}</span>
        <span class="number" title={upper ?? undefined}>{words(upper, '∞')}</span>
      </p>
    </div>
  );
}
