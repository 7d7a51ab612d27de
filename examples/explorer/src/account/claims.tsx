// What can be claimed, by network.

import { useState } from 'preact/hooks';
import { add, compare, type Decimal, decimal, sum, ZERO } from '../base/decimal.js';
import { count } from '../base/format.js';
import { Amount, Dollars } from '../base/number.js';
import { Notice, Section, Tag, useDisclosure } from '../base/parts.js';
import { Logo } from '../base/logo.js';
import { Words } from '../base/text.js';
import { slugOf } from '../api/networks.js';
import { toPlan } from '../router.js';
import type { Claimable, Network } from '../api/types.js';
import { ClaimDetails } from './claim-details.js';
import { NetworkName, networkName, protocolName, TokenSymbol } from './names.js';
import { Review } from '../claim/dialog.js';
import { Failure } from './failure.js';
import type { AccountStore } from './store.js';
import { claimableOf, counts } from './worth.js';

/** All rows that one transaction pays. */
export type ClaimGroup = { id: string; first: Claimable; rows: Claimable[]; value: Decimal; net: Decimal | null };

const SHOWN_FIRST = 6;

export function Claims({ store }: { store: AccountStore }) {
  const [reviewed, setReviewed] = useState<ClaimGroup | null>(null);
  const networks = byNetwork(store.claims.value);
  const progress = store.progress.claimables.value;
  return (
    <Section title="Claimable" aside={networks.length > 0 ? <Dollars of={claimableOf(store.claims.value)} /> : undefined} note={progress.state === 'reading' ? <span role="status">Reading, and trying each claim…</span> : undefined}>
      <Failure progress={progress} retry={() => void store.refresh()} />
      {progress.state === 'whole' && networks.length === 0 && <p class="empty">{store.claimables.value.missing.length > 0 ? 'Nothing, in what could be read.' : 'There is nothing to claim.'}</p>}
      {networks.map(({ network, groups }) => <OfNetwork key={network.chainId} store={store} network={network} groups={groups} review={setReviewed} />)}
      {reviewed && <Review store={store} group={reviewed} close={() => setReviewed(null)} />}
    </Section>
  );
}

function OfNetwork({ store, network, groups, review }: { store: AccountStore; network: Network; groups: ClaimGroup[]; review: (group: ClaimGroup) => void }) {
  const [all, setAll] = useState(false);
  const name = networkName(network);
  const shown = all ? groups : groups.slice(0, SHOWN_FIRST);
  const total = groups.filter(({ first }) => counts(first)).reduce((whole, { value }) => add(whole, value), ZERO);
  const claimable = groups.filter(isSendable);
  return (
    <div class="card list">
      <div class="card-head">
        <h3><NetworkName network={network} /></h3>
        <p class="note">{count(groups.length)} {groups.length === 1 ? 'claim' : 'claims'}</p>
        <p class="total"><Dollars of={total} /></p>
        {claimable.length > 1 && <button type="button" onClick={() => (location.hash = toPlan(store.account, slugOf(network.chainId)))}>Claim all on {name}</button>}
      </div>
      <ul>
        {shown.map((group) => <ClaimItem key={group.id} store={store} group={group} review={review} />)}
      </ul>
      {groups.length > SHOWN_FIRST && (
        <button type="button" class="more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? 'Show fewer' : `Show ${count(groups.length - SHOWN_FIRST)} more`}</button>
      )}
    </div>
  );
}

function ClaimItem({ store, group, review }: { store: AccountStore; group: ClaimGroup; review: (group: ClaimGroup) => void }) {
  const { first, rows, value, net } = group;
  const protocol = store.protocols.value.get(first.protocol.slug) ?? first.protocol;
  const id = `claim-${group.id}`;
  const details = useDisclosure('Details');
  return (
    <li class="claim">
      <Logo src={protocol.logo} name={protocolName(protocol)} />
      <div class="what">
        <p class="title" id={id}><Words of={first.name} max={60} /></p>
        <p class="note">{protocolName(protocol)} <VerdictTag of={first} /> {details.button}</p>
      </div>
      <ul class="pays" aria-label="Pays">
        {rows.map((row) => (
          <li key={row.id}><Amount of={row.amount} /> <TokenSymbol token={row.token} chainId={row.network.chainId} address={row.token.address} />{row.paidTo === 'lock' && ' into a lock'}{row.paidTo === 'vault' && ' into a vault'}</li>
        ))}
      </ul>
      <div class="value">
        <p><Dollars of={isPriced(rows) ? value : null} /></p>
        <p class="note">{net === null ? 'gas unknown' : <><Dollars of={net} /> after gas</>}</p>
      </div>
      <div class="action">{isSendable(group) && <button type="button" class="second" aria-describedby={id} onClick={() => review(group)}>Claim</button>}</div>
      <Why of={first} />
      {details.opened(() => <ClaimDetails store={store} group={group} />)}
    </li>
  );
}

/** What came of the trial, in a word. */
export function VerdictTag({ of }: { of: Claimable }) {
  const verdict = of.claimTransaction === null ? 'refused' : of.simulated;
  switch (verdict) {
    case 'paid':
      return <Tag kind="good">Trial paid</Tag>;
    case 'differs':
      return <Tag kind="warn">Pays otherwise</Tag>;
    case 'reverted':
      return <Tag kind="bad">Fails</Tag>;
    case 'refused':
      return <Tag kind="bad">Refused</Tag>;
    default:
      return <Tag>Not tried</Tag>;
  }
}

/** Why a claim does not simply pay. */
function Why({ of }: { of: Claimable }) {
  const { simulated, claimTransaction, differs = [], simulation } = of;
  if (simulated === 'paid') return null;
  const reasons = [...differs, ...(simulation?.error ? [`It fails: ${simulation.error}`] : [])];
  if (reasons.length === 0 && claimTransaction === null) reasons.push('This gateway refuses it, so there is nothing to sign.');
  if (reasons.length === 0 && simulated === null) reasons.push(simulation?.failure ? `It could not be tried: ${simulation.failure}.` : 'It was not tried, so what it pays is its contract’s word alone.');
  if (reasons.length === 0) return null;
  return <div class="why"><Notice kind={simulated === 'differs' ? 'warn' : simulated === null ? 'plain' : 'bad'}>{reasons.map((reason) => <p key={reason}><bdi>{reason}</bdi></p>)}</Notice></div>;
}

/** A claim that is refused or fails has nothing to send. */
export function isSendable({ first: { claimTransaction, simulated } }: ClaimGroup): boolean {
  return claimTransaction !== null && simulated !== 'refused' && simulated !== 'reverted';
}

export function byNetwork(rows: Claimable[]): { network: Network; groups: ClaimGroup[] }[] {
  const groups = new Map<string, Claimable[]>();
  for (const row of rows) groups.set(row.claimId, [...(groups.get(row.claimId) ?? []), row]);
  const networks = new Map<number, { network: Network; groups: ClaimGroup[] }>();
  for (const [id, all] of groups) {
    const [first] = all;
    if (!first) continue;
    const nets = all.map(({ netDollarValue }) => netDollarValue);
    const group = { id, first, rows: all, value: sum(all.map(({ dollarValue }) => dollarValue)), net: nets.includes(null) ? null : sum(nets) };
    const known = networks.get(first.network.chainId);
    if (known) known.groups.push(group);
    else networks.set(first.network.chainId, { network: first.network, groups: [group] });
  }
  const rank = (group: ClaimGroup) => (counts(group.first) ? 0 : isSendable(group) ? 1 : 2);
  const sorted = [...networks.values()].map(({ network, groups: some }) => ({ network, groups: some.sort((one, other) => rank(one) - rank(other) || compare(other.value, one.value)) }));
  const total = (some: ClaimGroup[]) => some.reduce((whole, { value }) => add(whole, value), ZERO);
  return sorted.sort((one, other) => compare(total(other.groups), total(one.groups)));
}

function isPriced(rows: Claimable[]): boolean {
  return rows.some(({ dollarValue, amount }) => compare(decimal(dollarValue), ZERO) > 0 || compare(decimal(amount), ZERO) === 0);
}
