// What is known of an account: each job, answer, try and change replaces what it is about, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMissing } from '../src/api/client.js';
import { nothing, ofAnswer, rowsOf, withAnswer, withChange, withJob } from '../src/account/gather.js';

const row = (id: string, slug = 'quickswap', chainId = 137) => ({ id, protocol: { slug }, network: { chainId } });
const slugOf = (chainId: number) => (chainId === 137 ? 'polygon' : 'ethereum');
const job = (question: string, rows: ReturnType<typeof row>[], failure: string | null = null) => ({ protocol: 'quickswap', network: 'polygon', chainId: 137, question, block: 47, failure, rows });
const ids = (gathered: Parameters<typeof rowsOf<ReturnType<typeof row>>>[0]) => rowsOf(gathered).map(({ id }) => id);

test('a later job with the same question replaces the earlier one', () => {
  const farming = withJob(withJob(nothing<ReturnType<typeof row>>(), job('farming', [row('a')])), job('lending', [row('b')]));
  assert.deepEqual(ids(withJob(farming, job('farming', [row('c')]))), ['c', 'b']);
});

test('a job that failed is a gap, beside its rows', () => {
  const gathered = withJob(nothing<ReturnType<typeof row>>(), job('farming', [row('a')], 'timeout'));
  assert.deepEqual(ids(gathered), ['a']);
  assert.deepEqual(gathered.missing, [{ what: 'quickswap', network: 'polygon', reason: 'timeout' }]);
});

test('another try replaces the rows and gaps that it is about', () => {
  const before = ofAnswer([row('a'), row('b', 'sushiswap', 1)], parseMissing('quickswap/polygon;reason=upstream, sushiswap/ethereum;reason=timeout'), slugOf);
  const after = withAnswer(before, { protocols: ['quickswap'], network: 'polygon' }, [row('a'), row('c')], [], slugOf);
  assert.deepEqual(ids(after).sort(), ['a', 'b', 'c']);
  assert.deepEqual(after.missing.map(({ what }) => what), ['sushiswap']);
  assert.deepEqual(ids(withAnswer(before, { network: 'ethereum' }, [], [], slugOf)), ['a']);
});

test('what was read before stays where another try fails', () => {
  const before = ofAnswer([row('a'), row('b', 'sushiswap', 1)], [], slugOf);
  const after = withAnswer(before, {}, [row('c', 'sushiswap', 1)], parseMissing('quickswap/polygon;reason=timeout, */polygon;reason=upstream'), slugOf);
  assert.deepEqual(ids(after).sort(), ['a', 'c']);
  assert.deepEqual(after.missing, []);
});

test('a gap that stays a gap takes the rows of the new try', () => {
  const before = ofAnswer([row('a')], parseMissing('quickswap/polygon;reason=timeout'), slugOf);
  const after = withAnswer(before, {}, [row('b')], parseMissing('quickswap/polygon;reason=upstream'), slugOf);
  assert.deepEqual(ids(after), ['b']);
  assert.deepEqual(after.missing.map(({ reason }) => reason), ['upstream']);
});

test('a change replaces rows in their place, and adds and removes others', () => {
  const before = ofAnswer([row('a'), row('b'), row('c')], [], slugOf);
  const changed = { ...row('b'), amount: '2' };
  const after = withChange(before, [changed, row('d', 'sushiswap', 1)], ['c'], slugOf);
  assert.deepEqual(ids(after), ['a', 'b', 'd']);
  assert.equal(rowsOf(after)[1], changed);
});

test('entries of portolan-partial are gaps, also those that no rule fits', () => {
  assert.deepEqual(parseMissing('*/polygon;reason=upstream, tokens/ethereum;reason=upstream;count=3, truncated;count=12'), [
    { what: '*', network: 'polygon', reason: 'upstream' },
    { what: 'tokens', network: 'ethereum', reason: 'upstream', count: 3 },
    { what: 'truncated', network: '*', reason: 'truncated', count: 12 },
  ]);
});
