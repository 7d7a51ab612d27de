// The steps after the review: a wallet, its network, its signature, the receipt, and what came.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Notice } from '../base/parts.js';
import { Hex } from '../base/hex.js';
import { Amount } from '../base/number.js';
import { shortHex } from '../base/format.js';
import { get } from '../api/get.js';
import { Problem, type Step } from '../api/client.js';
import { networkOfChain, slugOf } from '../api/networks.js';
import type { AccountEffects } from '../api/types.js';
import { TokenSymbol } from '../account/names.js';
import { toTransaction } from '../router.js';
import { connected } from '../wallet/wallets.js';
import { openWallets } from '../wallet/connect.js';
import { isRefusal, type Outcome, sendCalls, sendSteps, takesCalls, useChain, walletSays } from '../wallet/send.js';
import { checksummed } from '../base/hex.js';

/** What a wallet gets: steps in order, and where all can go together, the one request for it. */
export type Order = { account: string; chainId: number; steps: Step[]; together: { method: string; params: unknown[] } | null };

type State = { at: 'review' } | { at: 'wallet'; sent: string[] } | { at: 'ended'; outcomes: Outcome[] } | { at: 'failed'; why: string; sent: string[] };

/** How long the gateway may take to see a transaction that the wallet's node has. */
const SEEN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 1500;

export function Sending({ order, done }: { order: Order; done: () => void }) {
  const [state, setState] = useState<State>({ at: 'review' });
  const [together, setTogether] = useState(false);
  const ended = useRef(new AbortController());
  const status = useRef<HTMLDivElement>(null);
  const wallet = connected.value;
  const { account, chainId, steps } = order;
  const network = networkOfChain(chainId)?.name ?? `chain ${chainId}`;

  useEffect(() => () => ended.current.abort(), []);
  useEffect(() => {
    setTogether(false);
    let isCurrent = true;
    if (wallet && order.together) void takesCalls(wallet.wallet.provider, wallet.account, chainId).then((takes) => isCurrent && setTogether(takes));
    return () => {
      isCurrent = false;
    };
  }, [wallet, chainId, order.together]);

  async function send(): Promise<void> {
    if (!wallet) return;
    const { provider } = wallet.wallet;
    const sent: string[] = [];
    const following = {
      sent: (hash: string) => {
        sent.push(hash);
        setState({ at: 'wallet', sent: [...sent] });
      },
      signal: ended.current.signal,
    };
    setState({ at: 'wallet', sent: [] });
    status.current?.focus();
    try {
      await useChain(provider, chainId);
      const outcomes = together && order.together ? await sendCalls(provider, order.together, following) : await sendSteps(provider, account, steps, following);
      setState({ at: 'ended', outcomes });
      done();
    } catch (failure) {
      if (ended.current.signal.aborted) return;
      const before = sent.length > 0 && isRefusal(failure) ? 'You refused the next one in the wallet. What was sent before stays.' : walletSays(failure);
      setState({ at: 'failed', why: before, sent });
    }
  }

  return (
    <div class="sending">
      {(state.at === 'review' || state.at === 'failed') && (
        <>
          {state.at === 'failed' && <Notice kind="bad"><p>{state.why}</p>{state.sent.map((hash) => <Sent key={hash} hash={hash} chainId={chainId} />)}</Notice>}
          {!wallet && (
            <>
              <p>To claim, connect the wallet that has this account.</p>
              <p class="buttons"><button type="button" onClick={openWallets}>Connect wallet</button></p>
            </>
          )}
          {wallet && wallet.account !== account.toLowerCase() && (
            <Notice kind="warn">
              <p>{wallet.wallet.info.name} has {shortHex(checksummed(wallet.account))}, and this claim is {shortHex(checksummed(account))}’s. Choose that account in your wallet.</p>
            </Notice>
          )}
          {wallet && wallet.account === account.toLowerCase() && (
            <>
              <p class="note">
                {together ? `${wallet.wallet.info.name} takes all ${steps.length} calls as one request.` : steps.length > 1 ? `${wallet.wallet.info.name} asks for ${steps.length} signatures, one after the other.` : `${wallet.wallet.info.name} asks for one signature on ${network}.`}
              </p>
              <p class="buttons"><button type="button" onClick={() => void send()}>{state.at === 'failed' ? 'Try again' : `Send with ${wallet.wallet.info.name}`}</button></p>
            </>
          )}
        </>
      )}
      <div ref={status} tabIndex={-1} role="status">
        {state.at === 'wallet' && (
          <>
            <p class="loading">{state.sent.length < (together ? 1 : steps.length) ? `Look into your wallet${steps.length > 1 && !together ? `: ${state.sent.length} of ${steps.length} sent` : ''}.` : 'Waiting until it is mined…'}</p>
            {state.sent.map((hash) => <Sent key={hash} hash={hash} chainId={chainId} />)}
          </>
        )}
        {state.at === 'ended' && state.outcomes.map((outcome) => <Came key={outcome.hash} outcome={outcome} account={account} chainId={chainId} />)}
      </div>
    </div>
  );
}

function Sent({ hash, chainId }: { hash: string; chainId: number }) {
  return <p>Sent <Hex of={hash} what="the transaction’s hash" /> <a href={toTransaction(slugOf(chainId), hash)}>Look at it</a></p>;
}

/** What a transaction brought, as the gateway decodes it. */
function Came({ outcome: { hash, succeeded }, account, chainId }: { outcome: Outcome; account: string; chainId: number }) {
  const [effects, setEffects] = useState<AccountEffects | null | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    void effectsOf(hash, account, chainId, ended.signal).then(setEffects, () => ended.signal.aborted || setEffects(null));
    return () => ended.abort();
  }, [hash]);
  return (
    <Notice kind={succeeded ? 'good' : 'bad'}>
      <p><strong>{succeeded ? 'It is mined.' : 'It failed on the chain. It took gas, and paid nothing.'}</strong> <Hex of={hash} what="the transaction’s hash" /> <a href={toTransaction(slugOf(chainId), hash)}>Look at it</a></p>
      {succeeded && effects === undefined && <p>Reading what came…</p>}
      {effects === null && <p>This gateway has not seen the transaction yet.</p>}
      {effects && (
        <>
          <p>{effects.in.length > 0 ? 'What came:' : 'Nothing came to the account itself.'}</p>
          <ul class="came">
            {effects.in.map(({ token, tokenAddress, amount, tokenId }) => (
              <li key={`${tokenAddress} ${tokenId ?? ''}`}><Amount of={amount} /> <TokenSymbol token={token} chainId={chainId} address={tokenAddress} /></li>
            ))}
          </ul>
        </>
      )}
    </Notice>
  );
}

/** Asks until the gateway's nodes have the transaction. @throws Problem if they do not in time. */
async function effectsOf(hash: string, account: string, chainId: number, signal: AbortSignal): Promise<AccountEffects> {
  const until = Date.now() + SEEN_WITHIN_MS;
  for (;;) {
    try {
      const { body } = await get<{ account: AccountEffects }>(['events', 'decode', hash], { network: String(chainId), account }, signal);
      return body.account;
    } catch (failure) {
      if (!(failure instanceof Problem && failure.kind === 'transaction-not-found') || Date.now() > until) throw failure;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    signal.throwIfAborted();
  }
}
