// What could not be read, and why. A failure is never an empty list.

import { Card, Section } from '../base/parts.js';
import { networkOfSlug } from '../api/networks.js';
import { protocolName } from './names.js';
import { isStanding } from '../base/reasons.js';
import { type AccountStore, type Gap, type Question, scopeKey } from './store.js';

/** What each reason means to a reader; `docs/reference/reasons` has more. */
const REASONS: Record<string, string> = {
  crashed: 'The plugin that reads it crashed.',
  disabled: 'The operator of this gateway disabled it.',
  'invalid-output': 'The plugin that reads it answered something that breaks the rules.',
  'invalid-reply': 'A contract returned something that no amount can be.',
  'not-allowed': 'The plugin that reads it may not read a host that it needs.',
  'not-configured': 'This gateway has no node of this network.',
  'not-covered': 'The account may have something there that is not read.',
  'over-budget': 'It takes more reads than one answer may use.',
  'plugin-error': 'A contract did not answer as it should.',
  quarantined: 'The plugin that reads it is paused, because it failed.',
  rejected: 'The plugin that reads it was refused.',
  stale: 'The newest block of the network is too old.',
  'state-unavailable': 'No node has the state of this block.',
  timeout: 'It was not there in time.',
  'unknown-block': 'No node knows this block.',
  upstream: 'The nodes failed, or a reply could not be proven.',
  'wrong-chain': 'The node serves another chain.',
};

/** Writes what may be missing. */
const listOf = (questions: Question[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(new Set(questions.map((question) => WORDS[question])));
const WORDS: Record<Question, string> = { claimables: 'claims', positions: 'positions', balances: 'balances' };

export function isOfProtocol({ what }: Gap): boolean {
  return what !== '*' && what !== 'tokens' && what !== 'truncated' && what !== 'currency';
}

export function Gaps({ store }: { store: AccountStore }) {
  const gaps = store.gaps.value;
  if (gaps.length === 0) return null;
  const unserved = gaps.filter(({ reason }) => reason === 'not-configured');
  const others = gaps.filter(({ reason }) => reason !== 'not-configured');
  return (
    <Section title="What could not be read">
      {others.length > 0 && <Card kind="list">{others.map((gap) => <GapNotice key={`${gap.what} ${gap.network} ${gap.reason}`} store={store} gap={gap} short={isOfProtocol(gap)} />)}</Card>}
      {unserved.length > 0 && <p class="note">This gateway has no nodes of {unserved.map(({ network }) => networkOfSlug(network)?.name ?? network).join(', ')}.</p>}
    </Section>
  );
}

/** A gap where it belongs, with another try. */
export function GapNotice({ store, gap, short = false }: { store: AccountStore; gap: Gap; short?: boolean }) {
  const only = { ...(isOfProtocol(gap) ? { protocols: [gap.what] } : {}), ...(gap.network === '*' ? {} : { network: gap.network }) };
  const isBusy = store.rereading.value.has(scopeKey(only));
  return (
    <div class="gap">
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M8 1.5l7 12.5H1z" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linejoin="round" /><path d="M8 6v4M8 11.4v1" stroke="currentColor" stroke-width="1.4" /></svg>
      <div>
        <p>{nameOf(store, gap)}: {listOf(gap.questions)} may be missing. {REASONS[gap.reason] ?? ''} <span class="note">({gap.reason})</span></p>
        {!short && gap.detail !== undefined && <p class="note detail"><bdi>{gap.detail}</bdi></p>}
      </div>
      {!isStanding(gap.reason) && <button type="button" class="quiet" aria-disabled={isBusy} onClick={() => void store.reread(only, gap.questions)}>{isBusy ? 'Trying…' : 'Try again'}</button>}
    </div>
  );
}

function nameOf(store: AccountStore, { what, network, count }: Gap): string {
  const place = network === '*' ? '' : ` on ${networkOfSlug(network)?.name ?? network}`;
  if (what === '*') return network === '*' ? 'Something' : `Everything${place}`;
  if (what === 'tokens') return `${count === undefined ? 'Tokens' : count === 1 ? 'One token' : `${count} tokens`}${place}`;
  if (what === 'truncated') return 'More';
  const protocol = store.protocols.value.get(what);
  return `${protocol ? protocolName(protocol) : what}${place}`;
}
