// States of plugins, endpoints and breakers. The word says it, and the colour repeats it.

import { Tag } from '../base/parts.js';
import { Words } from '../base/text.js';

type Kind = 'good' | 'warn' | 'bad' | 'plain';

const KINDS: Record<string, Kind> = {
  // Plugins
  active: 'good',
  draining: 'plain',
  disabled: 'plain',
  waiting: 'warn',
  quarantined: 'bad',
  rejected: 'bad',
  stuck: 'bad',
  // Endpoints
  primary: 'good',
  standby: 'good',
  unknown: 'plain',
  syncing: 'warn',
  paused: 'warn',
  excluded: 'bad',
  'wrong-chain': 'bad',
  // Breakers
  closed: 'good',
  'half-open': 'warn',
  open: 'bad',
};

export function State({ of }: { of: string }) {
  return <Tag kind={kindOf(of)}><Words of={of} /></Tag>;
}

/** The kind of a state; one that this page does not know is plain. */
export function kindOf(state: string): Kind {
  return Object.hasOwn(KINDS, state) ? KINDS[state]! : 'plain';
}

const ORDER: Kind[] = ['bad', 'warn', 'plain', 'good'];

/** Sorts what needs a person first. */
export function byTrouble(one: string, other: string): number {
  return ORDER.indexOf(kindOf(one)) - ORDER.indexOf(kindOf(other));
}
