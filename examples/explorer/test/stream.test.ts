// Streams are put together from any cuts of their bytes, and end as they say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../src/api/client.js';
import { type Job, readStream } from '../src/api/stream.js';

type Row = { id: string };

const JOB = { protocol: 'quickswap', network: 'polygon', chainId: 137, question: 'claimables', block: 47, failure: null, rows: [{ id: 'שלום' }] };
const ANSWER = { status: 200, headers: { 'portolan-blocks': 'polygon=47', 'portolan-partial': 'sushiswap/ethereum;reason=timeout' }, body: [{ id: 'שלום' }] };
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function cut(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) => place * size);
  return new ReadableStream({
    start(controller) {
      for (const start of starts) controller.enqueue(bytes.slice(start, start + size));
      controller.close();
    },
  });
}

test('jobs come before the answer, wherever the bytes are cut', async () => {
  for (const size of [1, 7, 100, 10_000]) {
    const jobs: Job<Row>[] = [];
    const answer = await readStream<Row[], Row>(cut(`: hello\n\n${event('job', JOB)}${event('answer', ANSWER)}`, size), (job) => jobs.push(job));
    assert.deepEqual(jobs, [JOB]);
    assert.deepEqual(answer.body, ANSWER.body);
    assert.deepEqual(answer.blocks, { polygon: 47 });
    assert.deepEqual(answer.missing, [{ what: 'sushiswap', network: 'ethereum', reason: 'timeout' }]);
  }
});

test('a problem at the end is a problem', async () => {
  const problem = { type: 'urn:portolan:problem:deadline', title: 'Deadline', status: 504, detail: 'no time left' };
  const read = readStream(cut(event('job', JOB) + event('problem', problem), 50), () => undefined);
  await assert.rejects(read, (failure) => failure instanceof Problem && failure.kind === 'deadline' && failure.status === 504 && failure.detail === 'no time left');
});

test('a stream that ends before its answer is a failure', async () => {
  await assert.rejects(readStream(cut(event('job', JOB), 50), () => undefined), /before the whole answer/);
});
