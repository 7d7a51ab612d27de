// Claims: what to sign of an answer, and what not.

import type { Address, Hex } from 'viem';

import type { Claimable, ClaimPlan, Transaction } from './types.js';
import { toRaw } from './amount.js';

/**
 * What the gateway found when it tried a claim. `paid` is safe to send. `differs` pays something else, `reverted` fails,
 * `untried` says nothing, and of `refused` there is nothing to sign.
 */
export type Verdict = 'paid' | 'differs' | 'reverted' | 'refused' | 'untried';

/** An amount that a claim pays: to the account itself, or into a lock or vault of the account. */
export type Payment = {
  /** Address of the token; `0x0` for the native token. */
  token: Address;
  /** Null if the token could not be read. */
  unit: { symbol: string; decimals: number } | null;
  raw: bigint;
  to: 'account' | 'lock' | 'vault';
};

/** A call to sign. */
export type Step = { to: Address; data: Hex; value: bigint; gas: bigint | undefined };

/** Transactions that claim together, in the order in which they are sent. */
export type Claim = {
  ids: string[];
  chainId: number;
  account: Address;
  verdict: Verdict;
  /** What it does otherwise, in sentences for people. */
  differs: string[];
  /** Empty if it was refused. */
  steps: Step[];
  pays: Payment[];
};

/**
 * Makes one claim of all rows that one transaction pays, so that nobody sends it twice.
 *
 * @throws Error if rows of one claim have other transactions, which no gateway answers.
 */
export function claimsOf(rows: Claimable[], account: string): Claim[] {
  const claims = new Map<string, { claim: Claim; first: Claimable }>();
  for (const row of rows) {
    const known = claims.get(row.claimId);
    if (!known) {
      claims.set(row.claimId, { claim: claimOf(row, account), first: row });
      continue;
    }
    const transactions = ({ claimTransaction, claimSteps }: Claimable) => JSON.stringify([claimTransaction, claimSteps]);
    if (transactions(known.first) !== transactions(row)) throw new Error(`the claim ${row.claimId} has two transactions`);
    known.claim.pays.push(paymentOf(row));
  }
  return [...claims.values()].map(({ claim }) => claim);
}

/** Makes one claim of a plan. It has no steps if there is nothing to send. */
export function claimOfPlan(plan: ClaimPlan): Claim {
  return {
    ids: plan.transactions.flatMap(({ claimIds }) => claimIds),
    chainId: plan.network.chainId,
    account: plan.account as Address,
    verdict: verdictOf(plan.simulated),
    differs: plan.differs ?? [],
    steps: plan.transactions.map(stepOf),
    pays: plan.pays.map(({ token, tokenAddress, amountRaw, paidTo }) => ({
      token: tokenAddress as Address,
      unit: token && { symbol: token.symbol, decimals: token.decimals },
      raw: BigInt(amountRaw),
      to: placeOf(paidTo),
    })),
  };
}

function claimOf(row: Claimable, account: string): Claim {
  const { claimTransaction, claimSteps } = row;
  const transactions = claimSteps ?? (claimTransaction ? [claimTransaction] : []);
  return {
    ids: [row.claimId],
    chainId: row.network.chainId,
    account: (claimTransaction?.from ?? account) as Address,
    // Without a transaction there is nothing to sign, whatever the row says.
    verdict: claimTransaction ? verdictOf(row.simulated) : 'refused',
    differs: row.differs ?? [],
    steps: transactions.map(stepOf),
    pays: [paymentOf(row)],
  };
}

function stepOf({ to, data, value, gas }: Transaction): Step {
  return { to: to as Address, data: data as Hex, value: BigInt(value ?? 0), gas: gas == null ? undefined : BigInt(gas) };
}

function paymentOf({ token, amount, paidTo }: Claimable): Payment {
  const { address, symbol, decimals } = token;
  return { token: address as Address, unit: { symbol, decimals }, raw: toRaw(amount, decimals), to: placeOf(paidTo) };
}

/** A verdict that this client does not know is as good as none. */
function verdictOf(simulated: string | null | undefined): Verdict {
  return simulated === 'paid' || simulated === 'differs' || simulated === 'reverted' || simulated === 'refused' ? simulated : 'untried';
}

function placeOf(paidTo: string | null | undefined): Payment['to'] {
  if (paidTo == null || paidTo === 'account') return 'account';
  // A place that this client does not know is not the account itself.
  return paidTo === 'lock' ? 'lock' : 'vault';
}
