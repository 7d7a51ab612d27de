// A token by its symbol. Anyone can name a token, so the page says which ones no list has.

import { Tag } from '../base/parts.js';
import { Words } from '../base/text.js';
import type { Token } from '../api/types.js';

const SYMBOL_MAX = 14;

/** Marks a token that no list has, and one that has the symbol of another. */
export function Marked({ token }: { token: Token | null }) {
  if (token?.lookalike) return <Tag kind="bad">lookalike</Tag>;
  return token?.listed === false ? <Tag>unlisted</Tag> : null;
}

export function Symbol({ token, address }: { token: Token | null; address?: string }) {
  if (!token) return <span class="unknown">unknown token</span>;
  return <span class="symbol" title={`${token.name} ${address ?? token.address}`}><Words of={token.symbol} max={SYMBOL_MAX} /></span>;
}
