// One point of a chart: what an account had at a block, or why that is not known.

import { heldOf, receiptsOf } from '../account/worth.js';
import { Problem, type Missing } from '../api/client.js';
import { type Answer, get, why } from '../api/get.js';
import type { Balance, Portfolio, Position } from '../api/types.js';
import { add, decimal, text } from '../base/decimal.js';
import { reasonOf } from './reasons.js';
import { blockAt } from './times.js';

/** What a chart keeps of a position. */
export type Held = Pick<Position, 'id' | 'name' | 'protocol' | 'network' | 'dollarValue'> & {
  amounts: { key: string; role: string; symbol: string | null; amount: string | null }[];
};

export type Answered = {
  blocks: Record<string, number>;
  missing: Missing[];
  /** Assets less debts, in the wallet and in positions; null if the sum is not known. */
  net: string | null;
  /** Amounts without a price, which are in no sum. */
  unpriced: number;
  held: Map<string, Held>;
};

export type Point =
  | { at: number; state: 'waiting' | 'reading' }
  | { at: number; state: 'read'; answer: Answered }
  | { at: number; state: 'failed'; why: string };

/** Without claims: they would be tried at each block, and belong to no net worth. */
const KINDS = 'lent,borrowed,staked,pooled,locked,vesting';
/** What is in the wallet is missing. No protocol has this slug: theirs have no spaces. */
const WALLET = 'the wallet';

/** Reads a point. It never throws. One request goes out after the other, so that points that are read side by side bound all. */
export async function read(account: string, network: string | undefined, at: number, signal: AbortSignal): Promise<Point> {
  try {
    const block = blockAt(at);
    const ofPositions = await get<Portfolio>(['positions', account], { block, network, kind: KINDS }, signal);
    const wallet = await readWallet(account, network, block, signal);
    return { at, state: 'read', answer: answered(ofPositions, wallet) };
  } catch (failure) {
    const reason = failure instanceof Problem ? reasonOf(failure.kind) : undefined;
    return { at, state: 'failed', why: reason ?? why(failure) };
  }
}

type Wallet = Pick<Answer<Balance[]>, 'body' | 'blocks' | 'missing'>;

/** Reads balances. Without them, positions are still known. */
async function readWallet(account: string, network: string | undefined, block: string, signal: AbortSignal): Promise<Wallet> {
  try {
    const tokens = await get<Balance[]>(['balance', account, 'token-balances'], { block, network }, signal);
    const native = await get<Balance | Balance[]>(['balance', account, 'native-balance'], { block, network }, signal);
    return { body: tokens.body.concat(native.body), blocks: { ...tokens.blocks, ...native.blocks }, missing: [...tokens.missing, ...native.missing] };
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return { body: [], blocks: {}, missing: [{ what: WALLET, network: network ?? '*', reason: failure.kind }] };
  }
}

function answered({ body: { totals, protocols }, blocks, missing }: Answer<Portfolio>, wallet: Wallet): Answered {
  const positions = protocols.flatMap((group) => group.positions);
  const inWallet = heldOf(wallet.body, receiptsOf(positions));
  return {
    blocks: { ...blocks, ...wallet.blocks },
    missing: distinct([...missing, ...wallet.missing]),
    net: totals.net === null ? null : text(add(decimal(totals.net), inWallet)),
    unpriced: totals.unpriced + wallet.body.filter(({ price }) => decimal(price).digits === 0n).length,
    held: new Map(positions.map((position) => [position.id, kept(position)])),
  };
}

function distinct(missing: Missing[]): Missing[] {
  return [...new Map(missing.map((gap) => [`${gap.what}/${gap.network}/${gap.reason}`, gap])).values()];
}

function kept({ id, name, protocol, network, dollarValue, legs }: Position): Held {
  const amounts = legs.map(({ role, token, tokenAddress, amount }, index) => {
    // A position may have several legs of one role and token.
    const earlier = legs.slice(0, index).filter((leg) => leg.role === role && leg.tokenAddress === tokenAddress).length;
    return { key: `${role} ${tokenAddress} ${earlier}`, role, symbol: token?.symbol ?? null, amount };
  });
  return { id, name, protocol, network, dollarValue, amounts };
}
