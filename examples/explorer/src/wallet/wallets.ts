// Wallets of the browser, found by EIP-6963, and the one that is connected.

import { signal } from '@preact/signals';
import { createStore, type EIP6963ProviderDetail } from 'mipd';

export type Wallet = EIP6963ProviderDetail;
export type Connected = { wallet: Wallet; account: string };

const SETTING = 'portolan-wallet';

/** All wallets that announced themselves. */
export const wallets = signal<readonly Wallet[]>([]);
export const connected = signal<Connected | null>(null);

/** Looks for wallets, and connects the one of the last visit if it still allows that; nothing is prompted. */
export function findWallets(): void {
  const store = createStore();
  const follow = () => {
    wallets.value = store.getProviders();
    const last = wallets.value.find(({ info }) => info.rdns === setting());
    if (last && !connected.value) void resume(last);
  };
  store.subscribe(follow);
  follow();
}

/** Asks the wallet for its account. @throws whatever the wallet says, as when its user refuses. */
export async function connect(wallet: Wallet): Promise<string> {
  const [account] = await wallet.provider.request({ method: 'eth_requestAccounts' });
  if (account === undefined) throw new Error(`${wallet.info.name} has no account for this page.`);
  take(wallet, account);
  return account.toLowerCase();
}

export function disconnect(): void {
  connected.value = null;
  keep(null);
}

async function resume(wallet: Wallet): Promise<void> {
  // A wallet that is locked answers nothing, and the page goes on without it.
  const [account] = await wallet.provider.request({ method: 'eth_accounts' }).catch(() => []);
  if (account !== undefined && !connected.value) take(wallet, account);
}

const followed = new Set<Wallet['provider']>();

function take(wallet: Wallet, account: string): void {
  connected.value = { wallet, account: account.toLowerCase() };
  keep(wallet.info.rdns);
  if (followed.has(wallet.provider)) return;
  followed.add(wallet.provider);
  wallet.provider.on('accountsChanged', (accounts) => {
    if (connected.value?.wallet.provider !== wallet.provider) return;
    const [first] = accounts;
    if (first === undefined) disconnect();
    else connected.value = { wallet, account: first.toLowerCase() };
  });
}

function setting(): string | null {
  try {
    return localStorage.getItem(SETTING);
  } catch {
    return null;
  }
}

function keep(rdns: string | null): void {
  try {
    if (rdns === null) localStorage.removeItem(SETTING);
    else localStorage.setItem(SETTING, rdns);
  } catch {
    // Without storage, the next visit connects anew.
  }
}
