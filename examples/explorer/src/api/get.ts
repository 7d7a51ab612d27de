// One GET to the gateway that serves this page: exact amounts, its blocks and its gaps, or a problem.

import { type Missing, parseBlocks, parseMissing, Problem } from './client.js';

export type Answer<Body> = {
  body: Body;
  /** The block that each network was read at, by the network's slug. */
  blocks: Record<string, number>;
  /** Empty if, and only if, the answer is whole. */
  missing: Missing[];
  /** The address that a name in the path resolved to. */
  account: string | null;
};

export type Parameters = Record<string, string | boolean | undefined>;

/** How long a request may take. The gateway's own deadline is well below. */
const TIMEOUT_MS = 60_000;

/** Returns the URL of a path, relative to the page, so that both work below the prefix of a proxy. */
export function url(path: string[], parameters: Parameters = {}): string {
  const search = new URLSearchParams({ amounts: 'string' });
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return `${path.map(encodeURIComponent).join('/')}?${search}`;
}

/** @throws Problem if the gateway refuses; TypeError if it cannot be reached; DOMException if it takes too long. */
export async function get<Body>(path: string[], parameters?: Parameters, signal?: AbortSignal): Promise<Answer<Body>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url(path, parameters), {
    headers: { accept: 'application/json' },
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  if (!response.ok) throw await Problem.of(response);
  return answer<Body>((await response.json()) as Body, (name) => response.headers.get(name));
}

/** Makes an answer of a body and its headers, which streams carry in their last event. */
export function answer<Body>(body: Body, header: (name: string) => string | null): Answer<Body> {
  return {
    body,
    blocks: parseBlocks(header('portolan-blocks')),
    missing: parseMissing(header('portolan-partial')),
    account: header('portolan-account'),
  };
}

/** Says in a sentence why a request failed. */
export function why(failure: unknown): string {
  if (failure instanceof Problem) return failure.detail;
  if (failure instanceof DOMException && failure.name === 'TimeoutError') return 'The gateway did not answer in time.';
  if (failure instanceof TypeError) return 'The gateway could not be reached.';
  return failure instanceof Error ? failure.message : String(failure);
}
