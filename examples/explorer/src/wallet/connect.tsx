// Connecting a wallet: the header's button, and the dialog with all wallets of the browser.

import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { shortHex } from '../base/format.js';
import { checksummed } from '../base/hex.js';
import { Logo } from '../base/logo.js';
import { Modal } from '../base/modal.js';
import { Notice } from '../base/parts.js';
import { Words } from '../base/text.js';
import { route, toAccount } from '../router.js';
import { walletSays } from './send.js';
import { connect, connected, disconnect, type Wallet, wallets } from './wallets.js';

const isOpen = signal(false);

export function openWallets(): void {
  isOpen.value = true;
}

export function WalletButton() {
  const wallet = connected.value;
  if (!wallet) return <button type="button" class="quiet" onClick={openWallets}>Connect wallet</button>;
  return (
    <span class="wallet">
      <a class="button quiet" href={toAccount(wallet.account)} title={`The account of ${wallet.wallet.info.name}`}><span class="mono">{shortHex(checksummed(wallet.account))}</span></a>
      <button type="button" class="link" onClick={disconnect}>Disconnect</button>
    </span>
  );
}

/** The dialog, while it is open. */
export function Wallets() {
  if (!isOpen.value) return null;
  return <Chooser close={() => (isOpen.value = false)} />;
}

function Chooser({ close }: { close: () => void }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [waiting, setWaiting] = useState<Wallet | null>(null);
  async function choose(wallet: Wallet): Promise<void> {
    setFailure(null);
    setWaiting(wallet);
    try {
      const account = await connect(wallet);
      close();
      if (route.value.page === 'search') location.hash = toAccount(account);
    } catch (reason) {
      setFailure(walletSays(reason));
    }
    setWaiting(null);
  }
  const all = wallets.value;
  return (
    <Modal title="Connect a wallet" close={close}>
      {all.length === 0 && <p>This browser has no wallet that announces itself (EIP-6963). Install one, or paste an address to look at it without a wallet.</p>}
      <ul class="wallets">
        {all.map((wallet) => (
          <li key={wallet.info.uuid}>
            <button type="button" class="quiet" aria-disabled={waiting !== null} onClick={() => waiting === null && void choose(wallet)}>
              <Icon wallet={wallet} /> <Words of={wallet.info.name} />
            </button>
          </li>
        ))}
      </ul>
      <div role="status">
        {waiting && <p class="loading">Look into <Words of={waiting.info.name} />…</p>}
        {failure !== null && <Notice kind="bad">{failure}</Notice>}
      </div>
      <p class="note">The page sees your address, and nothing that you do not sign.</p>
    </Modal>
  );
}

/** Wallets bring their picture as a data URI, which EIP-6963 asks for. */
function Icon({ wallet: { info } }: { wallet: Wallet }) {
  if (info.icon.startsWith('data:image/')) return <img class="logo size-28" src={info.icon} alt="" width="28" height="28" />;
  return <Logo src={null} name={info.name} />;
}
