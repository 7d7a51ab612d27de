// All claims of a network as one plan: tried together, and handed to the wallet together where it can.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { count } from '../base/format.js';
import { Amount, Dollars } from '../base/number.js';
import { Card, Notice, Section, Tag } from '../base/parts.js';
import { checksummed, Hex } from '../base/hex.js';
import { addressIn } from '../base/ids.js';
import { Words } from '../base/text.js';
import { claimOfPlan } from '../api/client.js';
import { type Answer, get, why } from '../api/get.js';
import { loadNetworks, networkOfSlug } from '../api/networks.js';
import type { ClaimPlan } from '../api/types.js';
import { marksOf, withTokens } from '../account/lookalikes.js';
import { Marks, networkName, TokenSymbol } from '../account/names.js';
import { toAccount } from '../router.js';
import { Call } from './call.js';
import { Sending } from './sending.js';

type Planned = Answer<{ items: ClaimPlan[] }>;

export function PlanPage({ account, network }: { account: string; network: string }) {
  const [answer, setAnswer] = useState<Planned | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    setFailure(null);
    Promise.all([get<{ items: ClaimPlan[] }>([account, 'claim-plan'], { network, detail: 'full' }, ended.signal), loadNetworks()]).then(
      ([found]) => setAnswer(found),
      (reason) => ended.signal.aborted || setFailure(why(reason)),
    );
    return () => ended.abort();
  }, [account, network, tries]);
  const plan = answer?.body.items[0];
  const given = addressIn(account);
  const name = networkOfSlug(network)?.name ?? network;
  useEffect(() => {
    document.title = `Claim all on ${name} · Portolan`;
  }, [name]);
  return (
    <>
      <p class="back"><a href={toAccount(account)}>Back to the account</a></p>
      <h1>Claim all on {name}</h1>
      <p class="note">{given === null ? <Words of={account} /> : <Hex of={given} what="the address" whole />}</p>
      {!answer && failure === null && <p class="loading" role="status">Reading what can be claimed, and trying it in order…</p>}
      {failure !== null && <Notice kind="bad"><p>{failure}</p><p><button type="button" class="quiet" onClick={() => setTries(tries + 1)}>Try again</button></p></Notice>}
      {answer && plan && <Plan plan={plan} missing={answer.missing.length} />}
    </>
  );
}

function Plan({ plan, missing }: { plan: ClaimPlan; missing: number }) {
  const { network, transactions, pays, dollarValue, netDollarValue, cost, simulated, differs = [], leftOut, walletSendCalls } = plan;
  const marks = useMemo(() => marksOf(withTokens(new Map(), pays.map(({ token }) => [network.chainId, token]))), [plan]);
  const claim = useMemo(() => claimOfPlan(plan), [plan]);
  const order = useMemo(() => ({ account: plan.account, chainId: network.chainId, steps: claim.steps, together: walletSendCalls }), [claim]);
  const canSend = walletSendCalls !== null && claim.steps.length > 0 && simulated !== 'refused' && simulated !== 'reverted';
  return (
    <Marks.Provider value={marks}>
      {missing > 0 && <Notice kind="warn">Not everything on {networkName(network)} could be read, so the plan may not have every claim.</Notice>}
      {!canSend && <Notice kind={simulated === 'refused' || simulated === 'reverted' ? 'bad' : 'plain'}>{simulated === 'refused' ? 'The plan as a whole takes something from the account, so it is refused.' : simulated === 'reverted' ? 'The plan as a whole fails.' : 'There is nothing to claim.'}</Notice>}
      {pays.length > 0 && (
        <Section title="It pays" aside={<Verdict of={simulated} />}>
          <Card>
            <dl class="figures">
              <div><dt>Together</dt><dd><Dollars of={dollarValue} /></dd></div>
              <div><dt>After gas</dt><dd>{netDollarValue === null ? <span class="unknown">not known</span> : <Dollars of={netDollarValue} />}</dd></div>
              <div><dt>Gas</dt><dd>{cost ? <><span class="number">{count(cost.gas)}</span> <span class="note">{cost.dollars !== null && <Dollars of={cost.dollars} />}</span></> : <span class="unknown">not known</span>}</dd></div>
            </dl>
            <ul class="pays-list padded">
              {pays.map(({ token, tokenAddress, amount, paidTo }) => (
                <li key={`${tokenAddress} ${paidTo}`}><Amount of={amount} /> <TokenSymbol token={token} chainId={network.chainId} address={tokenAddress} />{paidTo === 'lock' && ' into a lock'}{paidTo === 'vault' && ' into a vault'}</li>
              ))}
            </ul>
          </Card>
          {differs.length > 0 && <Notice kind="warn">{differs.map((sentence) => <p key={sentence}><bdi>{sentence}</bdi></p>)}</Notice>}
        </Section>
      )}
      {canSend && (
        <Section title="Send it">
          <Card kind="padded"><Sending order={order} done={() => undefined} /></Card>
        </Section>
      )}
      {transactions.length > 0 && (
        <Section title="Your wallet will show" note={`${count(transactions.length)} ${transactions.length === 1 ? 'call' : 'calls'} from ${checksummed(plan.account)}`}>
          <ol class="calls">
            {transactions.map((transaction, place) => <li key={place} class="card padded"><Call of={transaction} /></li>)}
          </ol>
        </Section>
      )}
      {leftOut.length > 0 && (
        <Section title="Left out">
          <ul class="card padded left-out">{leftOut.map(({ claimId, reason }) => <li key={claimId}><bdi>{reason}</bdi> <span class="note mono"><bdi>{claimId}</bdi></span></li>)}</ul>
        </Section>
      )}
    </Marks.Provider>
  );
}

function Verdict({ of }: { of: ClaimPlan['simulated'] }) {
  if (of === 'paid') return <Tag kind="good">Trial paid</Tag>;
  if (of === 'differs') return <Tag kind="warn">Pays otherwise</Tag>;
  if (of === 'reverted') return <Tag kind="bad">Fails</Tag>;
  if (of === 'refused') return <Tag kind="bad">Refused</Tag>;
  return <Tag>Not tried</Tag>;
}
