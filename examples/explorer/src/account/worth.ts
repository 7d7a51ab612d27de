// Sums in dollars over everything with a known price, as the gateway's totals define them.

import { add, type Decimal, decimal, subtract, sum, ZERO } from '../base/decimal.js';
import { tokenKey } from '../base/ids.js';
import type { Balance, Claimable, Position } from '../api/types.js';

export type Sums = { assets: Decimal; debts: Decimal; net: Decimal; unpriced: number };

/** Rewards and fees that are owed count as claims, not as assets. */
const OWED = new Set(['rewardOwed', 'feeOwed']);

/** Sums positions: assets, debts and their difference. */
export function sumsOf(positions: Position[]): Sums {
  let [assets, debts, unpriced] = [ZERO, ZERO, 0];
  for (const { role, dollarValue } of positions.flatMap(({ legs }) => legs)) {
    if (OWED.has(role)) continue;
    if (dollarValue === null) unpriced += 1;
    else if (role === 'borrowed') debts = add(debts, decimal(dollarValue));
    else assets = add(assets, decimal(dollarValue));
  }
  return { assets, debts, net: subtract(assets, debts), unpriced };
}

/** A claim counts if its trial paid, or if there was none. */
export function counts({ simulated }: Pick<Claimable, 'simulated'>): boolean {
  return simulated === 'paid' || simulated === null;
}

/** Sums what can be claimed. */
export function claimableOf(rows: Claimable[]): Decimal {
  return sum(rows.filter(counts).map(({ dollarValue }) => dollarValue));
}

/** Tokens that stand for a position: who holds them has the position, and not more. */
export function receiptsOf(positions: Position[]): Set<string> {
  const receipts = positions.flatMap(({ network, legs }) =>
    legs.flatMap(({ receipt }) => (receipt === null ? [] : [tokenKey(network.chainId, receipt)])),
  );
  return new Set(receipts);
}

/** Sums balances, without tokens that stand for a position that is counted already. */
export function heldOf(balances: Balance[], receipts: Set<string>): Decimal {
  return sum(balances.filter((row) => !receipts.has(balanceKey(row))).map(({ dollarValue }) => dollarValue));
}

export function balanceKey({ network, token }: Balance): string {
  return tokenKey(network.chainId, token.address);
}
