// The place in the page: a hash route, so that the gateway serves one file and links can be sent.

import { signal } from '@preact/signals';

export type Route =
  | { page: 'search' }
  | { page: 'account'; account: string }
  | { page: 'plan'; account: string; network: string }
  | { page: 'history'; account: string }
  | { page: 'transaction'; network: string; hash: string; account?: string }
  | { page: 'unknown' };

/** Reads a hash like `#/account/vitalik.eth`. */
export function parseRoute(hash: string): Route {
  const [path = '', query] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter((part) => part !== '').map(decoded);
  const [first, second, third, fourth, more] = parts;
  if (first === undefined) return { page: 'search' };
  if (first === 'account' && second !== undefined) {
    if (third === undefined) return { page: 'account', account: second };
    if (third === 'history' && fourth === undefined) return { page: 'history', account: second };
    if (third === 'claim' && fourth !== undefined && more === undefined) return { page: 'plan', account: second, network: fourth };
  }
  if (first === 'tx' && second !== undefined && third !== undefined && fourth === undefined) {
    const account = new URLSearchParams(query).get('account');
    return { page: 'transaction', network: second, hash: third, ...(account === null ? {} : { account }) };
  }
  return { page: 'unknown' };
}

const link = (...parts: string[]) => `#/${parts.map(encodeURIComponent).join('/')}`;
export const toSearch = () => '#/';
export const toAccount = (account: string) => link('account', account);
export const toPlan = (account: string, network: string) => link('account', account, 'claim', network);
export const toHistory = (account: string) => link('account', account, 'history');
export const toTransaction = (network: string, hash: string, account?: string) =>
  link('tx', network, hash) + (account === undefined ? '' : `?${new URLSearchParams({ account })}`);

/** The route of the page's address now. */
export const route = signal<Route>({ page: 'search' });

/** Keeps `route` in step with the page's address. */
export function followAddress(): void {
  const follow = () => (route.value = parseRoute(location.hash));
  follow();
  addEventListener('hashchange', follow);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
