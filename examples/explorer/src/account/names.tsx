// Names of tokens, protocols and networks, as this account's page shows them.

import { useContext } from 'preact/hooks';
import { createContext } from 'preact';
import { Logo } from '../base/logo.js';
import { Tag } from '../base/parts.js';
import { Words } from '../base/text.js';
import { networkOfChain, nameForPeople } from '../api/networks.js';
import { tokenKey } from '../base/ids.js';
import type { Network, Protocol, Token } from '../api/types.js';
import type { Mark } from './lookalikes.js';

/** What tokens are marked with, by their keys. */
export const Marks = createContext<ReadonlyMap<string, Mark>>(new Map());

const WORDS: Record<Exclude<Mark, null>, { kind: 'bad' | 'warn' | 'plain'; word: string; title: string }> = {
  lookalike: { kind: 'bad', word: 'Lookalike', title: 'It is on no token list, and its symbol or name reads like that of a token that is. It may be a fake.' },
  unlisted: { kind: 'plain', word: 'Unlisted', title: 'No token list of this gateway has it. Anyone can make a token with any name.' },
  namesake: { kind: 'warn', word: 'Same name', title: 'Another token on this network has the same symbol or name. Compare their addresses.' },
};

/** Says what to know before one trusts a token's name. */
export function TokenMark({ chainId, address }: { chainId: number; address: string }) {
  const mark = useContext(Marks).get(tokenKey(chainId, address));
  if (!mark) return null;
  const { kind, word, title } = WORDS[mark];
  return <span title={title}><Tag kind={kind}>{word}</Tag></span>;
}

/** Shows a token's symbol with its mark. */
export function TokenSymbol({ token, chainId, address }: { token: Token | null; chainId: number; address: string }) {
  return (
    <span class="token-symbol">
      {token ? <Words of={token.symbol} max={16} /> : <span class="unknown">a token that cannot be read</span>} <TokenMark chainId={chainId} address={address} />
    </span>
  );
}

export function NetworkName({ network }: { network: Network }) {
  return (
    <span class="network">
      <Logo src={network.logo} name={network.name} size={18} />
      {networkName(network)}
    </span>
  );
}

export function networkName({ chainId, name }: Network): string {
  return networkOfChain(chainId)?.name ?? nameForPeople(name);
}

/** Returns a protocol's name as its makers write it, where the answer has that. */
export function protocolName({ name, company }: Protocol): string {
  const plain = (words: string) => words.replace(/[^a-z0-9]/gi, '').toLowerCase();
  return company && plain(company.name) === plain(name) ? company.name : nameForPeople(name);
}
