// Net worth, and what it is made of.

import { add, compare, type Decimal, subtract, sum, toNumber, ZERO } from '../base/decimal.js';
import { Dollars } from '../base/number.js';
import { Section } from '../base/parts.js';
import { count } from '../base/format.js';
import type { ComponentChildren } from 'preact';
import type { Position } from '../api/types.js';
import type { AccountStore, Progress } from './store.js';
import { claimableOf, counts, heldOf, receiptsOf, sumsOf } from './worth.js';

const KINDS: [string, string][] = [
  ['wallet', 'In the wallet'],
  ['lent', 'Lent'],
  ['staked', 'Staked'],
  ['pooled', 'In pools'],
  ['locked', 'Locked and vesting'],
];

export function Summary({ store }: { store: AccountStore }) {
  const positions = store.held.value;
  const held = heldOf(store.balances.value, receiptsOf(positions));
  const sums = sumsOf(positions);
  const claimable = claimableOf(store.claims.value);
  const net = add(held, sums.net);
  const { claimables, positions: ofPositions, balances } = store.progress;
  // Before anything has come, or where nothing came, no sum is known; zero would be a lie.
  const isKnown = { held: progressed(balances.value, store.balances.value), positions: progressed(ofPositions.value, positions), claims: progressed(claimables.value, store.claims.value) };
  const isReading = [ofPositions, balances].some(({ value }) => value.state === 'reading');
  const failed = [ofPositions, balances].some(({ value }) => value.state === 'failed');
  const isPartial = failed || store.gaps.value.some(({ reason }) => reason !== 'not-configured');
  const unpriced = sums.unpriced + store.balances.value.filter(({ price }) => price === '0').length;
  const untried = store.claims.value.filter(({ simulated }) => simulated === null).length;
  const otherwise = store.claims.value.filter((row) => !counts(row)).length;

  return (
    <div class="summary card">
      <Section title="Net worth">
        <p class="worth" aria-busy={isReading}>{known(isKnown.held || isKnown.positions, <Dollars of={net} />)}</p>
        <p class="note">
          {[
            isReading ? 'so far' : '',
            isPartial && !isReading && (isKnown.held || isKnown.positions) ? 'without what could not be read' : '',
            unpriced > 0 ? `without ${count(unpriced)} ${unpriced === 1 ? 'amount that has' : 'amounts that have'} no price` : '',
          ].filter((words) => words !== '').join(' · ')}
        </p>
      </Section>
      <dl class="figures">
        <div><dt>In the wallet</dt><dd>{known(isKnown.held, <Dollars of={held} />)}</dd></div>
        <div><dt>In protocols</dt><dd>{known(isKnown.positions, <Dollars of={sums.assets} />)}</dd></div>
        <div><dt>Owed</dt><dd>{known(isKnown.positions, <Dollars of={subtract(ZERO, sums.debts)} />)}</dd></div>
        <div class="apart">
          <dt>Can be claimed</dt>
          <dd class={compare(claimable, ZERO) > 0 ? 'good' : undefined}>{known(isKnown.claims, <Dollars of={claimable} />)}</dd>
          <dd class="note">
            {claimables.value.state === 'reading' ? 'so far' : [untried > 0 ? `${count(untried)} not tried` : '', otherwise > 0 ? `without ${count(otherwise)} that ${otherwise === 1 ? 'does' : 'do'} not pay as said` : ''].filter((words) => words !== '').join(' · ')}
          </dd>
        </div>
      </dl>
      <Allocation parts={partsOf(held, positions)} />
    </div>
  );
}

function progressed({ state }: Progress, rows: unknown[]): boolean {
  return state === 'whole' || rows.length > 0;
}

function known(is: boolean, value: ComponentChildren): ComponentChildren {
  return is ? value : <span class="unknown">–<span class="hidden">not known yet</span></span>;
}

function partsOf(held: Decimal, positions: Position[]): Map<string, Decimal> {
  const parts = new Map<string, Decimal>([['wallet', held]]);
  for (const { kind, legs } of positions) {
    const part = kind === 'borrowed' ? 'lent' : kind === 'vesting' ? 'locked' : kind;
    const assets = sum(legs.filter(({ role }) => role !== 'borrowed' && role !== 'rewardOwed' && role !== 'feeOwed').map(({ dollarValue }) => dollarValue));
    parts.set(part, add(parts.get(part) ?? ZERO, assets));
  }
  return parts;
}

/** Draws the shares of all assets. The list says the same in words. */
function Allocation({ parts }: { parts: Map<string, Decimal> }) {
  const values = KINDS.map(([kind, title]) => ({ kind, title, value: toNumber(parts.get(kind) ?? ZERO) })).filter(({ value }) => value > 0);
  const total = values.reduce((all, { value }) => all + value, 0);
  if (values.length < 2 || total <= 0) return null;
  let at = 0;
  return (
    <figure class="allocation">
      <svg viewBox="0 0 1000 10" preserveAspectRatio="none" width="100%" height="10" aria-hidden="true">
        {values.map(({ kind, value }) => {
          const width = (value / total) * 1000;
          const x = at;
          at += width;
          return <rect key={kind} class={`part ${kind}`} x={x} y="0" width={Math.max(width - 3, 1)} height="10" />;
        })}
      </svg>
      <figcaption>
        <ul>
          {values.map(({ kind, title, value }) => (
            <li key={kind}>
              <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><rect class={`part ${kind}`} width="10" height="10" rx="2" /></svg>
              {title} <span class="number">{share(value / total)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

function share(value: number): string {
  return value < 0.001 ? `< ${SHARE.format(0.001)}` : SHARE.format(value);
}
