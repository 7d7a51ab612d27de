// What people paste: addresses, names, hashes of transactions, and their CAIP forms.

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const CAIP10 = /^eip155:\d+:(0x[0-9a-f]{40})$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const NAME = /^[^\s/]+\.[^\s/.]+$/u;

export type Wanted = { what: 'account'; account: string } | { what: 'transaction'; hash: string } | { what: 'nothing'; why: string };

/** Says what a text means. */
export function wanted(input: string): Wanted {
  const text = input.trim();
  if (text === '') return { what: 'nothing', why: 'Enter an address, a name like vitalik.eth, or the hash of a transaction.' };
  const [, account] = CAIP10.exec(text) ?? [];
  if (account !== undefined) return { what: 'account', account };
  if (ADDRESS.test(text)) return { what: 'account', account: text };
  if (HASH.test(text)) return { what: 'transaction', hash: text.toLowerCase() };
  if (/^0x[0-9a-f]*$/i.test(text)) return { what: 'nothing', why: `An address has 40 hex digits after 0x, and a hash 64. This has ${text.length - 2}.` };
  if (NAME.test(text)) return { what: 'account', account: text };
  return { what: 'nothing', why: 'This is neither an address, nor a name like vitalik.eth, nor the hash of a transaction.' };
}

/** Returns the address of an address or a CAIP-10 id; null for a name. */
export function addressIn(account: string): string | null {
  const found = ADDRESS.test(account) ? account : CAIP10.exec(account)?.[1];
  return found?.toLowerCase() ?? null;
}

/** Key of a token in a map: addresses are lower case in answers. */
export function tokenKey(chainId: number, address: string): string {
  return `${chainId}:${address.toLowerCase()}`;
}
