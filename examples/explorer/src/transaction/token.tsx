// A token by its symbol. Anyone can name a token, so the page says which ones no list has.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { marksOf, withTokens } from '../account/lookalikes.js';
import { TokenMark } from '../account/names.js';
import { Words } from '../base/text.js';
import type { Token } from '../api/types.js';
import { membersOf, type Told } from './answer.js';

const SYMBOL_MAX = 16;

/** The chain of the transaction. */
export const Chain = createContext(0);

/** Says what to mark the tokens of a transaction with. */
export function marksIn({ account, items, repeated }: Told, chainId: number): ReturnType<typeof marksOf> {
  const moved = account ? [...account.in, ...account.out].map(({ token }) => token) : [];
  const named = [...items, ...repeated].flatMap((event) => Object.values(membersOf(event)).flatMap(tokensIn));
  return marksOf(withTokens(new Map(), [...moved, ...named].map((token) => [chainId, token])));
}

/** Returns the tokens in a member of an event. */
function tokensIn(member: unknown): Token[] {
  if (Array.isArray(member)) return member.flatMap((part: { asset?: unknown }) => tokensIn(part.asset));
  return typeof member === 'object' && member !== null && 'symbol' in member ? [member as Token] : [];
}

export function Symbol({ token, address }: { token: Token | null; address?: string }) {
  const chainId = useContext(Chain);
  if (!token) return <span class="unknown">unknown token</span>;
  return (
    <>
      <span class="symbol" title={`${token.name} ${address ?? token.address}`}><Words of={token.symbol} max={SYMBOL_MAX} /></span> <TokenMark chainId={chainId} address={token.address} />
    </>
  );
}
