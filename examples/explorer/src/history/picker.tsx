// Chooses a position, and what of it is drawn.

import { clean, cut } from '../base/text.js';
import type { Choice } from './positions.js';
import type { Held } from './reading.js';
import type { Series } from './series.js';
import { nameOf } from './words.js';

const DOLLARS = '';

type Props = { held: Held[]; series: Extract<Series, { of: 'position' }> | null; onChoose: (choice: Choice) => void };

export function PositionPicker({ held, series, onChoose }: Props) {
  if (!series) return null;
  const { position, amount } = series;
  const chooseMeasure = (key: string) => onChoose({ id: position.id, ...(key === DOLLARS ? {} : { amount: key }) });
  const choosePosition = (id: string) => {
    const first = held.find((one) => one.id === id);
    const key = first?.dollarValue === null ? first.amounts[0]?.key : undefined;
    onChoose({ id, ...(key === undefined ? {} : { amount: key }) });
  };
  return (
    <div class="pickers">
      <select aria-label="Position" value={position.id} onChange={(event) => choosePosition(event.currentTarget.value)}>
        {held.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
      </select>
      <select aria-label="Measure" value={amount ?? DOLLARS} onChange={(event) => chooseMeasure(event.currentTarget.value)}>
        <option value={DOLLARS}>in dollars</option>
        {position.amounts.map(({ key, role, symbol }) => <option key={key} value={key}>{ROLES[role] ?? role} {symbol === null ? 'token' : cut(clean(symbol), 14)}</option>)}
      </select>
    </div>
  );
}

const ROLES: Record<string, string> = { rewardOwed: 'reward owed:', feeOwed: 'fee owed:' };
