// Requests to the operators' listener. The token is held in memory alone: a page that is loaded again asks for it again.

import { Problem } from '../api/client.js';
import type { Answers } from './types.js';

/** Below the time between two refreshes. */
const TIMEOUT_MS = 10_000;
/** `npm run dev` serves both listeners at one address. */
const BASE = import.meta.env.DEV ? 'operators-listener/' : '';

/** The listener wants a token, or another one. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized';
}

/** @throws Unauthorized, Problem, TypeError if it cannot be reached, or DOMException if it takes too long. */
export async function ask<Path extends keyof Answers>(path: Path, token: string | null, signal: AbortSignal): Promise<Answers[Path]> {
  const response = await fetch(`${BASE}${path}`, {
    headers: { accept: 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (response.status === 401) throw new Unauthorized('the listener wants a token');
  // A gateway that is not ready says why, with 503.
  const isAnswer = response.ok || (path === 'readyz' && response.status === 503);
  if (!isAnswer) throw await Problem.of(response);
  return (await response.json()) as Answers[Path];
}
