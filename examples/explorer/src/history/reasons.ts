// Why something is missing at a block, in words.

const REASONS: Record<string, string> = {
  crashed: 'the plugin crashed',
  deadline: 'it took too long',
  disabled: 'the operator disabled the plugin',
  'invalid-output': 'the plugin answered wrongly',
  'invalid-reply': 'a contract answered wrongly',
  'network-not-configured': 'the network has no endpoint',
  'not-allowed': 'the plugin may not read what it needs',
  'not-configured': 'the network has no endpoint',
  'not-covered': 'the plugin does not read all of it',
  'over-budget': 'it needs more than the gateway allows',
  overloaded: 'the gateway is busy',
  'plugin-error': 'the plugin could not answer',
  'protocol-unavailable': 'the plugin is not in force',
  quarantined: 'the plugin is paused after failures',
  rejected: 'the plugin was refused',
  stale: 'the newest block is too old',
  'state-unavailable': 'no node has the state of the block',
  timeout: 'it took too long',
  'too-many-requests': 'the gateway allows no more requests now',
  'unknown-block': 'no node knows a block of this time',
  upstream: 'the nodes did not answer',
  'wrong-chain': 'the endpoint serves another chain',
};

/** Returns the words for a partial reason or the kind of a problem. */
export function reasonOf(word: string): string | undefined {
  return REASONS[word];
}
