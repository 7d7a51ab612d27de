// Answers that come in parts: rows of each job as it ends, then the whole answer. A gateway that answers JSON at once
// works too.

import { createParser } from 'eventsource-parser';
import { Problem } from './client.js';
import { type Answer, answer, type Parameters, url } from './get.js';

/** What one job found. A later one with the same protocol, network and question replaces it. */
export type Job<Row> = {
  protocol: string;
  network: string;
  chainId: number;
  question: string;
  block: number | null;
  /** A word of `portolan-partial`; null if nothing is missing. */
  failure: string | null;
  rows: Row[];
};

type Last<Body> = { status: number; headers: Record<string, string>; body: Body };

/** How long an answer may take as a whole. The gateway's own deadline is well below. */
const TIMEOUT_MS = 60_000;
/** An event is one answer at most, and the gateway bounds those at 16 MiB. */
const EVENT_CHARACTERS_MAX = 32 * 1024 * 1024;

/**
 * Requests a stream, calls `onJob` for each job, and returns the whole answer.
 *
 * @throws Problem if the gateway refuses or cannot answer; Error if the stream ends before its answer.
 */
export async function stream<Body, Row>(path: string[], parameters: Parameters, onJob: (job: Job<Row>) => void, signal: AbortSignal): Promise<Answer<Body>> {
  const response = await fetch(url(path, parameters), {
    headers: { accept: 'text/event-stream, application/json;q=0.9' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (!response.ok) throw await Problem.of(response);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
    return answer((await response.json()) as Body, (name) => response.headers.get(name));
  }
  return readStream<Body, Row>(response.body, onJob);
}

/** Reads the events of a stream until its last one. */
export async function readStream<Body, Row>(body: ReadableStream<Uint8Array>, onJob: (job: Job<Row>) => void): Promise<Answer<Body>> {
  let last: Answer<Body> | undefined;
  let failure: Error | undefined;
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'job') onJob(JSON.parse(data) as Job<Row>);
      if (event === 'answer') {
        const { headers, body } = JSON.parse(data) as Last<Body>;
        last = answer(body, (name) => headers[name] ?? null);
      }
      if (event === 'problem') failure = problemOf(data);
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let characters = 0;
  while (!last && !failure) {
    const { done, value } = await reader.read();
    if (done) break;
    const text = decoder.decode(value, { stream: true });
    characters += text.length;
    if (characters > EVENT_CHARACTERS_MAX) failure = new Error('The answer is larger than this page can read.');
    else parser.feed(text);
  }
  await reader.cancel();
  if (last) return last;
  throw failure ?? new Error('The connection ended before the whole answer was there.');
}

/** Reads a problem that came as an event. */
export function problemOf(data: string): Problem {
  const { status = 0, type = 'about:blank', detail = data, requestId = null } = JSON.parse(data) as Partial<Problem & { type: string }>;
  return new Problem(status, type, detail, requestId, null);
}
