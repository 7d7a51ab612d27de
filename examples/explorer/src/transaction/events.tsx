// All events of a transaction, and how many of its logs say nothing to the gateway.

import { count } from '../base/format.js';
import { Disclosure, Section } from '../base/parts.js';
import type { Told } from './answer.js';
import { Address, EventRow } from './event.js';

/** Rows that are shown at first. */
const SHOWN_FIRST = 100;

type Props = { told: Told; account: string | undefined; most: number; onMore: () => void };

export function Events({ told: { items, repeated, undecoded }, account, most, onMore }: Props) {
  const left = items.length - most;
  return (
    <Section title="Events" note={counted(items.length, repeated.length)}>
      {items.length === 0
        ? <p class="note">No event was decoded. A transaction that was reverted has none.</p>
        : <ol class="card events">{items.slice(0, most).map((event, index) => <EventRow key={`${event.logIndex} ${index}`} event={event} account={account} />)}</ol>}
      {left > 0 && <p><button type="button" class="quiet" onClick={onMore}>Show {count(left)} more</button></p>}
      {undecoded.length > 0 && (
        <Disclosure summary={`${count(undecoded.length)} ${undecoded.length === 1 ? 'log was' : 'logs were'} not decoded`}>
          <ul class="undecoded">{undecoded.slice(0, SHOWN_FIRST).map(({ logIndex, contract }) => <li key={logIndex}>log {logIndex} of <Address of={contract} account={account} whole /></li>)}</ul>
          {undecoded.length > SHOWN_FIRST && <p class="note">and {count(undecoded.length - SHOWN_FIRST)} more</p>}
        </Disclosure>
      )}
    </Section>
  );
}

function counted(items: number, repeated: number): string {
  const all = `${count(items)} ${items === 1 ? 'event' : 'events'}`;
  return repeated === 0 ? all : `${all}; ${count(repeated)} more only ${repeated === 1 ? 'reports one' : 'report some'} of them again`;
}

export { SHOWN_FIRST };
