// Tokens that could pass for others. Anyone can name a token, so a name proves nothing.

import { tokenKey } from '../base/ids.js';

type Named = { address: string; symbol: string; name: string; logo: string | null; type?: string; listed?: boolean; lookalike?: boolean };

export type Mark =
  /** Its symbol or name reads like that of a token that is on a list. */
  | 'lookalike'
  /** No token list has it. */
  | 'unlisted'
  /** Another token here reads the same, and no list tells them apart. */
  | 'namesake'
  | null;

/** Tokens by key, with what has been seen of each. */
export type Tokens = ReadonlyMap<string, Named & { chainId: number }>;

/** Letters of other scripts, and digits, that look like Latin letters: the common ones of Unicode's confusables. */
const CONFUSABLE: Record<string, string> = Object.fromEntries(
  [
    ['a', 'аɑαａ'], ['b', 'ЬвβʙВΒ'], ['c', 'сϲⅽС'], ['d', 'ԁⅾ'], ['e', 'еєҽЕΕ'], ['g', 'ɡց'], ['h', 'һнНΗ'], ['i', 'іıɩιІΙ1l|ǀӏ'],
    ['j', 'јϳ'], ['k', 'кκКΚ'], ['m', 'мⅿМΜ'], ['n', 'ոηпΝ'], ['o', 'оοσօ0ОΟ'], ['p', 'рρРΡ'], ['q', 'ԛ'], ['r', 'гᴦ'], ['s', 'ѕ5Ѕ$'],
    ['t', 'тτТΤ'], ['u', 'υսц'], ['v', 'ѵνⅴ'], ['w', 'ԝѡω'], ['x', 'хχⅹХΧ'], ['y', 'уүγУΥ'], ['z', 'ᴢΖ'],
  ].flatMap(([latin = '', others = '']) => [...others].map((other) => [other, latin])),
);

/** Reduces words to what a hurried reader sees: `ＵЅDС` and `usdc` are the same. */
export function skeleton(words: string): string {
  const plain = words.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Cc}\s._-]/gu, '');
  return [...plain].map((letter) => CONFUSABLE[letter] ?? CONFUSABLE[letter.toLowerCase()] ?? letter.toLowerCase()).join('');
}

/** A logo comes from a token list alone, so a token with one is listed. Null where that is not known. */
export function isListed({ listed, logo, type }: Named): boolean | null {
  return listed ?? (logo !== null || type === 'NATIVE' ? true : null);
}

/** Adds tokens to those that have been seen; what is known of one stays known. */
export function withTokens(tokens: Tokens, more: [number, Named | null][]): Tokens {
  const all = new Map(tokens);
  for (const [chainId, token] of more) {
    if (!token) continue;
    const key = tokenKey(chainId, token.address);
    const { listed, lookalike } = { ...all.get(key), ...defined(token) };
    all.set(key, { ...token, chainId, ...(listed === undefined ? {} : { listed }), ...(lookalike === undefined ? {} : { lookalike }) });
  }
  return all;
}

/** Says what to mark each token with. */
export function marksOf(tokens: Tokens): Map<string, Mark> {
  const byLook = new Map<string, { key: string; listed: boolean | null; chainId: number; words: string[] }[]>();
  for (const [key, token] of tokens) {
    const words = [token.symbol, token.name];
    for (const look of new Set(words.map(skeleton))) {
      if (look === '') continue;
      byLook.set(look, [...(byLook.get(look) ?? []), { key, chainId: token.chainId, listed: isListed(token), words }]);
    }
  }
  const marks = new Map<string, Mark>();
  for (const [key, token] of tokens) {
    const listed = isListed(token);
    if (listed) {
      marks.set(key, null);
      continue;
    }
    const alike = [skeleton(token.symbol), skeleton(token.name)].flatMap((look) => byLook.get(look) ?? []).filter((other) => other.key !== key);
    if (token.lookalike || alike.some((other) => other.listed)) marks.set(key, 'lookalike');
    else if (alike.some((other) => other.chainId === token.chainId)) marks.set(key, 'namesake');
    else marks.set(key, listed === false ? 'unlisted' : null);
  }
  return marks;
}

function defined({ listed, lookalike }: Named): Partial<Named> {
  return { ...(listed === undefined ? {} : { listed }), ...(lookalike === undefined ? {} : { lookalike }) };
}
