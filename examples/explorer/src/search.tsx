// Search: an address, a name or a transaction, or a wallet.

import { useEffect, useId, useState } from 'preact/hooks';
import { isAddress } from 'viem/utils';
import { get, why } from './api/get.js';
import { Problem } from './api/client.js';
import { loadNetworks, networks } from './api/networks.js';
import { wanted } from './base/ids.js';
import { Notice } from './base/parts.js';
import { toAccount, toTransaction } from './router.js';
import { openWallets } from './wallet/connect.js';

export function SearchPage() {
  useEffect(() => {
    document.title = 'Portolan';
  }, []);
  return (
    <div class="search-page">
      <h1>What an account holds, owes and can claim</h1>
      <p class="lead">Read from the chain at one block, with the source of every number. Each claim is tried before it is shown.</p>
      <Search large />
      <p class="note">or <button type="button" class="link" onClick={openWallets}>use a wallet of this browser</button></p>
    </div>
  );
}

export function Search({ large = false }: { large?: boolean }) {
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  async function find(event: Event): Promise<void> {
    event.preventDefault();
    setFailure(null);
    const found = wanted(text);
    if (found.what === 'nothing') return setFailure(found.why);
    if (found.what === 'account') {
      if (isAddress(found.account, { strict: false }) && !isAddress(found.account)) return setFailure('The capital letters of this address do not fit its checksum, so it may have a typing error.');
      setText('');
      location.hash = toAccount(found.account);
      return;
    }
    setBusy(true);
    try {
      location.hash = toTransaction(await networkOf(found.hash), found.hash);
      setText('');
    } catch (reason) {
      setFailure(why(reason));
    }
    setBusy(false);
  }
  return (
    <form class={large ? 'search large' : 'search'} role="search" onSubmit={(event) => void find(event)}>
      <label class={large ? '' : 'hidden'} for={id}>Address, name or transaction</label>
      <div class="field">
        <input id={id} type="text" value={text} placeholder="0x… or vitalik.eth" autocomplete="off" autocapitalize="off" spellcheck={false} aria-invalid={failure !== null} aria-describedby={failure === null ? undefined : `${id}-failure`} onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit" aria-disabled={isBusy}>{isBusy ? 'Looking…' : 'Show'}</button>
      </div>
      {failure !== null && <div id={`${id}-failure`}><Notice kind="bad">{failure}</Notice></div>}
    </form>
  );
}

/** Finds the network of a transaction: a hash does not say it. @throws Error if none has it. */
async function networkOf(hash: string): Promise<string> {
  await loadNetworks();
  const failed: string[] = [];
  const looks = networks.value.map(async ({ slug, name }) => {
    try {
      await get(['events', 'decode', hash], { network: slug });
      return slug;
    } catch (failure) {
      if (!(failure instanceof Problem && (failure.kind === 'transaction-not-found' || failure.kind === 'network-not-configured'))) failed.push(name);
      throw failure;
    }
  });
  try {
    return await Promise.any(looks);
  } catch {
    throw new Error(`No network of this gateway has this transaction.${failed.length > 0 ? ` ${failed.join(', ')} could not be read.` : ''}`);
  }
}
