// The client against a server that answers as a gateway does, and as proxies in front of one do.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { PartialAnswer, Portolan, Problem, toRaw, whole } from '../src/index.js';

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers the requests of `act` by these replies, the last one again and again; returns what was requested. */
async function served(replies: Reply[], act: (url: string) => Promise<void>): Promise<string[]> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(`${request.url} ${request.headers.accept}`);
    replies[Math.min(requested.length, replies.length) - 1]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return requested;
}

const rows = (body: unknown, headers: Record<string, string> = {}): Reply => (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

const problem = (status: number, kind: string, headers: Record<string, string> = {}): Reply => (_, response) => {
  const document = { type: `urn:portolan:problem:${kind}`, title: kind, status, detail: `it is ${kind}`, message: '', requestId: 'abc' };
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(JSON.stringify(document));
};

const kindOf = (kind: string) => (error: unknown) => error instanceof Problem && error.kind === kind;

test('an answer has its gaps and its blocks, and amounts are asked for as strings', async () => {
  const headers = {
    'portolan-partial': 'aave_v3/ethereum;reason=timeout, tokens/*;reason=upstream;count=3, truncated;count=12',
    'portolan-blocks': 'ethereum=71, polygon=47',
  };
  const requested = await served([rows([], headers)], async (url) => {
    const answer = await new Portolan({ url }).claimables('0xab', { network: 'polygon', include: ['a', 'b'], worth: true });
    assert.deepEqual(answer.missing, [
      { what: 'aave_v3', network: 'ethereum', reason: 'timeout' },
      { what: 'tokens', network: '*', reason: 'upstream', count: 3 },
      { what: 'truncated', network: '*', reason: 'truncated', count: 12 },
    ]);
    assert.deepEqual(answer.blocks, { ethereum: 71, polygon: 47 });
    assert.throws(() => whole(answer), PartialAnswer);
  });
  assert.deepEqual(requested, ['/claimables/0xab?network=polygon&include=a%2Cb&worth=true application/json;amounts=string']);
});

test('an answer without the header is whole', async () => {
  await served([rows([])], async (url) => {
    assert.deepEqual(whole(await new Portolan({ url }).balances('0xab')).rows, []);
  });
});

test('a problem is an error with its kind', async () => {
  await served([problem(400, 'invalid-address')], async (url) => {
    const refused = await new Portolan({ url }).positions('0x1').catch((error: unknown) => error);
    assert.ok(refused instanceof Problem);
    const { status, kind, detail, requestId } = refused;
    assert.deepEqual({ status, kind, detail, requestId }, { status: 400, kind: 'invalid-address', detail: 'it is invalid-address', requestId: 'abc' });
  });
});

test('what a proxy says is an error too', async () => {
  const page: Reply = (_, response) => response.writeHead(502).end('<html>bad gateway</html>');
  await served([page], async (url) => {
    await assert.rejects(new Portolan({ url }).plan('0xab', 'polygon'), kindOf('about:blank'));
  });
});

test('a busy gateway is asked again after the time that it names', async () => {
  const busy = problem(503, 'busy', { 'retry-after': '0' });
  const requested = await served([busy, busy, rows([])], async (url) => {
    assert.deepEqual((await new Portolan({ url }).claimables('0xab')).rows, []);
  });
  assert.equal(requested.length, 3);
});

test('a gateway that stays busy is asked a bounded number of times', async () => {
  const requested = await served([problem(503, 'busy', { 'retry-after': '0' })], async (url) => {
    await assert.rejects(new Portolan({ url, retries: 2 }).claimables('0xab'), kindOf('busy'));
  });
  assert.equal(requested.length, 3);
});

test('what waiting does not help is not asked again', async () => {
  for (const reply of [problem(503, 'protocol-unavailable'), problem(502, 'upstream'), problem(503, 'busy', { 'retry-after': '61' })]) {
    const requested = await served([reply], async (url) => {
      await assert.rejects(new Portolan({ url }).claimables('0xab'), Problem);
    });
    assert.equal(requested.length, 1);
  }
});

test('a signal ends a request, and a wait for a busy gateway', async () => {
  const abort = new AbortController();
  await served([() => abort.abort(new Error('enough'))], async (url) => {
    await assert.rejects(new Portolan({ url }).claimables('0xab', { signal: abort.signal }), /enough/);
  });
  await served([problem(503, 'busy', { 'retry-after': '60' })], async (url) => {
    await assert.rejects(new Portolan({ url }).claimables('0xab', { signal: AbortSignal.timeout(300) }), { name: 'TimeoutError' });
  });
});

test('a gateway that does not answer is not waited for', async () => {
  await served([() => {}], async (url) => {
    await assert.rejects(new Portolan({ url, timeoutMs: 50 }).claimables('0xab'), { name: 'TimeoutError' });
  });
});

test('amounts become smallest units without a digit lost', () => {
  const cases: [string, number, bigint][] = [
    ['0', 18, 0n],
    ['0.000000000000000001', 18, 1n],
    ['254.2148754219806', 18, 254214875421980600000n],
    ['120', 0, 120n],
    ['1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+59', 18, 2n ** 256n - 1n],
    ['1E-39', 39, 1n],
  ];
  for (const [amount, decimals, raw] of cases) assert.equal(toRaw(amount, decimals), raw, amount);
  for (const amount of ['', '1,5', '-1', '0x1', '1.5.5']) assert.throws(() => toRaw(amount, 18), RangeError, amount);
  assert.throws(() => toRaw('0.01', 1), RangeError);
});
