// What the gateway says about a transaction.

import type { components } from '../api/client.js';
import { type Answer, get } from '../api/get.js';
import type { AccountEffects, Event, Report } from '../api/types.js';
import { isAddress } from './phrases.js';

export type Told = {
  account?: AccountEffects;
  items: Event[];
  repeated: Event[];
  undecoded: components['schemas']['UndecodedLog'][];
  report: Report;
};

/** @throws as `get` does. */
export function read(network: string, hash: string, account: string | undefined, signal: AbortSignal): Promise<Answer<Told>> {
  return get<Told>(['events', 'decode', hash], { network, account, detail: 'full' }, signal);
}

/** Returns the members of an event, whatever its type. */
export function membersOf({ metadata }: Event): Record<string, unknown> {
  return metadata;
}

/** Who an event is about, in the order in which that is likely. */
const ACTORS = ['user', 'account', 'owner', 'from', 'sender', 'payer', 'voter', 'delegator', 'borrower', 'onBehalfOf', 'recipient', 'to'];
const ZERO = `0x${'0'.repeat(40)}`;

/** Returns the accounts that a transaction may be about, the one that most events name first. Contracts that log events are not among them. */
export function accountsOf(items: Event[]): string[] {
  const contracts = new Set(items.map(({ contract }) => contract));
  const counts = new Map<string, number>();
  for (const event of items) {
    const members = membersOf(event);
    const named = ACTORS.map((actor) => members[actor]).filter(isAddress).filter((address) => address !== ZERO && !contracts.has(address));
    for (const address of new Set(named)) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([address]) => address);
}
