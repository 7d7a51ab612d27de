// A transaction in words: what it did for an account, and each of its events.

import './transaction.css';
import { useEffect, useState } from 'preact/hooks';
import { Marks } from '../account/names.js';
import { type Answer, why } from '../api/get.js';
import { loadNetworks, networkOfSlug } from '../api/networks.js';
import { count, moment, shortHex } from '../base/format.js';
import { Hex } from '../base/hex.js';
import { Notice, Section, Tag } from '../base/parts.js';
import { Words } from '../base/text.js';
import { reasonOf } from '../history/reasons.js';
import { ForAccount } from './account.js';
import { accountsOf, read, type Told } from './answer.js';
import { Effects } from './effects.js';
import { Events, SHOWN_FIRST } from './events.js';
import { Chain, marksIn } from './token.js';

type State = { state: 'reading' } | { state: 'told'; answer: Answer<Told> } | { state: 'failed'; why: string };

export function TransactionPage({ network, hash, account: given }: { network: string; hash: string; account?: string }) {
  const [chosen, setChosen] = useState(given);
  const [attempt, setAttempt] = useState(0);
  const [most, setMost] = useState(SHOWN_FIRST);
  const [state, setState] = useState<State>({ state: 'reading' });
  const [accounts, setAccounts] = useState<string[]>([]);

  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      const answer = await read(network, hash, chosen, stop.signal);
      const found = accountsOf(answer.body.items);
      setAccounts(found);
      // Without a choice, the account that most events name: the next answer tells what it did for that one.
      if (chosen === undefined && found[0] !== undefined) setChosen(found[0]);
      setState({ state: 'told', answer });
    };
    load().catch((failure: unknown) => stop.signal.aborted || setState({ state: 'failed', why: why(failure) }));
    return () => stop.abort();
  }, [network, hash, chosen, attempt]);

  useEffect(() => {
    document.title = `Transaction ${shortHex(hash)} · Portolan`;
    // Without the list, the network goes by the name in the address, and nothing else is lost.
    loadNetworks().catch(() => undefined);
  }, [hash]);
  const known = networkOfSlug(network);
  const chainId = known?.chainId ?? 0;
  const choose = (account: string) => {
    if (account === chosen) return;
    // What it did for another account must not stand below this one's name.
    setState({ state: 'reading' });
    setChosen(account);
  };
  const again = () => {
    setState({ state: 'reading' });
    setAttempt(attempt + 1);
  };
  return (
    <>
      <h1>Transaction <Hex of={hash} what="the hash" /></h1>
      <p class="note where"><Where network={network} name={known?.name ?? network} state={state} /></p>
      {(state.state !== 'failed' || chosen !== undefined) && <ForAccount account={chosen} accounts={accounts} onAccount={choose} />}
      {state.state === 'reading' && <p class="loading" role="status">Reading the transaction…</p>}
      {state.state === 'failed' && <><Notice kind="bad"><Words of={state.why} max={400} /></Notice><p><button type="button" onClick={again}>Try again</button></p></>}
      {state.state === 'told' && (
        <Chain.Provider value={chainId}>
        <Marks.Provider value={marksIn(state.answer.body, chainId)}>
          {state.answer.body.account && <Effects effects={state.answer.body.account} />}
          <Missing answer={state.answer} onAgain={again} />
          <Events told={state.answer.body} account={state.answer.body.account?.address} most={most} onMore={() => setMost(Infinity)} />
        </Marks.Provider>
        </Chain.Provider>
      )}
    </>
  );
}

function Where({ network, name, state }: { network: string; name: string; state: State }) {
  const block = state.state === 'told' ? state.answer.body.report.blocks[network] ?? Object.values(state.answer.body.report.blocks)[0] : undefined;
  return <><Tag><Words of={name} /></Tag>{block && <> block {count(block.number)}, {moment(block.timestamp)}</>}</>;
}

function Missing({ answer: { missing }, onAgain }: { answer: Answer<Told>; onAgain: () => void }) {
  if (missing.length === 0) return null;
  return (
    <Section title="What could not be read" aside={<button type="button" class="quiet" onClick={onAgain}>Try again</button>}>
      <ul class="gaps">
        {missing.map(({ what, network, reason }) => (
          <li key={`${what} ${network} ${reason}`}>What {what === 'events' ? 'the gateway' : <Words of={what} />} decodes: {reasonOf(reason) ?? <Words of={reason} />}</li>
        ))}
      </ul>
    </Section>
  );
}
