// Numbers on the page: short, with every digit in the title.

import { amount, dollars, fullAmount, fullDollars } from './format.js';
import { type Decimal, text } from './decimal.js';
import { Words } from './text.js';

export function Amount({ of, symbol }: { of: string | null; symbol?: string }) {
  if (of === null) return <Unknown what="amount" />;
  return (
    <data class="number" value={of} title={fullAmount(of)}>
      {amount(of)}
      {symbol !== undefined && <> <span class="symbol"><Words of={symbol} max={14} /></span></>}
    </data>
  );
}

/** Shows dollars. What is not known is said so, and never zero. */
export function Dollars({ of }: { of: string | Decimal | null }) {
  if (of === null) return <Unknown what="price" />;
  const value = typeof of === 'string' ? of : text(of);
  return <data class={`number${value.startsWith('-') ? ' negative' : ''}`} value={value} title={fullDollars(of)}>{dollars(of)}</data>;
}

function Unknown({ what }: { what: string }) {
  return <span class="unknown" title={`The ${what} is not known`}>no {what}</span>;
}
