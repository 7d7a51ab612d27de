// One point of a chart: what an account had at a block, or why that is not known.

import { get, why } from '../api/get.js';
import { Problem, type Missing } from '../api/client.js';
import type { Portfolio, Position, Totals } from '../api/types.js';
import { reasonOf } from './reasons.js';
import { blockAt } from './times.js';

/** What a chart keeps of a position. */
export type Held = Pick<Position, 'id' | 'name' | 'protocol' | 'network' | 'dollarValue'> & {
  amounts: { key: string; role: string; symbol: string | null; amount: string | null }[];
};

export type Answered = { blocks: Record<string, number>; missing: Missing[]; totals: Totals; held: Map<string, Held> };

export type Point =
  | { at: number; state: 'waiting' | 'reading' }
  | { at: number; state: 'read'; answer: Answered }
  | { at: number; state: 'failed'; why: string };

/** Without claims: they would be tried at each block, and belong to no net worth. */
const KINDS = 'lent,borrowed,staked,pooled,locked,vesting';

/** Reads a point. It never throws. */
export async function read(account: string, network: string | undefined, at: number, signal: AbortSignal): Promise<Point> {
  try {
    const parameters = { block: blockAt(at), kind: KINDS, network };
    const { body, blocks, missing } = await get<Portfolio>(['positions', account], parameters, signal);
    const held = body.protocols.flatMap(({ positions }) => positions).map((position) => [position.id, kept(position)] as const);
    return { at, state: 'read', answer: { blocks, missing, totals: body.totals, held: new Map(held) } };
  } catch (failure) {
    const reason = failure instanceof Problem ? reasonOf(failure.kind) : undefined;
    return { at, state: 'failed', why: reason ?? why(failure) };
  }
}

function kept({ id, name, protocol, network, dollarValue, legs }: Position): Held {
  const amounts = legs.map(({ role, token, tokenAddress, amount }, index) => {
    // A position may have several legs of one role and token.
    const earlier = legs.slice(0, index).filter((leg) => leg.role === role && leg.tokenAddress === tokenAddress).length;
    return { key: `${role} ${tokenAddress} ${earlier}`, role, symbol: token?.symbol ?? null, amount };
  });
  return { id, name, protocol, network, dollarValue, amounts };
}
