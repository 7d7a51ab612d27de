// The steps after the review: a wallet, its network, its signature, the receipt, and what came.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Notice } from '../base/parts.js';
import { checksummed, Hex } from '../base/hex.js';
import { Amount } from '../base/number.js';
import { sum, text } from '../base/decimal.js';
import { shortHex } from '../base/format.js';
import { get } from '../api/get.js';
import { Problem, type Step } from '../api/client.js';
import { networkOfChain, slugOf } from '../api/networks.js';
import type { AccountEffects, Movement } from '../api/types.js';
import { TokenSymbol } from '../account/names.js';
import { toTransaction } from '../router.js';
import { connected } from '../wallet/wallets.js';
import { openWallets } from '../wallet/connect.js';
import { isRefusal, type Outcome, sendCalls, sendSteps, takesCalls, useChain, walletSays } from '../wallet/send.js';

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
              <p class="buttons"><button type="button" onClick={openWallets}>Choose a wallet</button></p>
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
        {state.at === 'ended' && <Came outcomes={state.outcomes} account={account} chainId={chainId} />}
      </div>
    </div>
  );
}

function Sent({ hash, chainId }: { hash: string; chainId: number }) {
  return <p>Sent <Hex of={hash} what="the transaction’s hash" /> <a href={toTransaction(slugOf(chainId), hash)}>What it did</a></p>;
}

/** What the transactions brought together, as the gateway decodes them. */
function Came({ outcomes, account, chainId }: { outcomes: Outcome[]; account: string; chainId: number }) {
  const [effects, setEffects] = useState<AccountEffects[] | 'reading' | 'unseen'>('reading');
  const succeeded = outcomes.filter((outcome) => outcome.succeeded);
  const failed = outcomes.length - succeeded.length;
  useEffect(() => {
    const ended = new AbortController();
    Promise.all(succeeded.map(({ hash }) => effectsOf(hash, account, chainId, ended.signal))).then(setEffects, () => ended.signal.aborted || setEffects('unseen'));
    return () => ended.abort();
  }, [outcomes]);
  return (
    <>
      {failed > 0 && <Notice kind="bad">{failed === 1 ? 'A transaction failed on the chain. It took gas, and paid nothing.' : `${failed} transactions failed on the chain. They took gas, and paid nothing.`}</Notice>}
      {succeeded.length > 0 && (
        <Notice kind="good">
          <p><strong>{succeeded.length === 1 ? 'It is mined.' : `${succeeded.length} transactions are mined.`}</strong></p>
          {effects === 'reading' && <p>Reading what came…</p>}
          {effects === 'unseen' && <p>This gateway has not seen all of it yet.</p>}
          {typeof effects === 'object' && <Received effects={effects} chainId={chainId} />}
        </Notice>
      )}
      <ul class="came">{outcomes.map(({ hash }) => <li key={hash}><Sent hash={hash} chainId={chainId} /></li>)}</ul>
    </>
  );
}

function Received({ effects, chainId }: { effects: AccountEffects[]; chainId: number }) {
  const tokens = new Map<string, { movement: Movement; amounts: (string | null)[] }>();
  for (const movement of effects.flatMap((effect) => effect.in)) {
    const key = `${movement.tokenAddress} ${movement.tokenId ?? ''}`;
    const known = tokens.get(key) ?? { movement, amounts: [] };
    known.amounts.push(movement.amount);
    tokens.set(key, known);
  }
  if (tokens.size === 0) return <p>Nothing came to the account itself.</p>;
  return (
    <>
      <p>What came:</p>
      <ul class="came">
        {[...tokens].map(([key, { movement: { token, tokenAddress }, amounts }]) => (
          <li key={key}><Amount of={amounts.includes(null) ? null : text(sum(amounts))} /> <TokenSymbol token={token} chainId={chainId} address={tokenAddress} /></li>
        ))}
      </ul>
    </>
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
