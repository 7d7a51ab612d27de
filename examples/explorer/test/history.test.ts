// An account over time: which times, how many at once, and what is a gap.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pool } from '../src/history/pool.js';
import type { Held, Point } from '../src/history/reading.js';
import { gapsOf, type Series, valueAt } from '../src/history/series.js';
import { blockAt, RANGES, timesOf } from '../src/history/times.js';

// 2026-11-28T14:50:00Z
const NOW = 1_795_877_400;
const DAY = 86_400;

test('times are whole days in UTC up to the newest, and span their range', () => {
  for (const range of RANGES) {
    const times = timesOf(range, NOW);
    assert.equal(times.at(-1)! - times[0]!, range.days * DAY);
    assert.ok(times.every((at) => at <= NOW && at % (12 * 3600) === 0));
    assert.ok(NOW - times.at(-1)! < DAY, `${range.days} days end at the newest day`);
    assert.ok(times.length <= 31);
  }
  assert.equal(blockAt(timesOf(RANGES[0], NOW).at(-1)!), '2026-11-28T12:00:00Z');
  assert.equal(blockAt(timesOf(RANGES[1], NOW)[0]!), '2026-10-29T00:00:00Z');
});

test('two jobs run at once, in order, and none after a stop', async () => {
  const stop = new AbortController();
  const started: number[] = [];
  let [running, most] = [0, 0];
  await pool([1, 2, 3, 4, 5, 6], 2, stop.signal, async (item) => {
    started.push(item);
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    if (item === 4) stop.abort();
  });
  assert.equal(most, 2);
  assert.deepEqual(started.slice(0, 4), [1, 2, 3, 4]);
  assert.ok(!started.includes(6));
});

const PROTOCOL = { name: 'QUICKSWAP', slug: 'quickswap', logo: '', primitives: [], website: '' };
const held: Held = {
  id: 'farm', name: 'Farm', protocol: PROTOCOL, network: { name: 'POLYGON', logo: '', chainId: 137 }, dollarValue: '12.5',
  amounts: [{ key: 'staked 0x1 0', role: 'staked', symbol: 'LP', amount: '3' }],
};

function point(at: number, given: Partial<Extract<Point, { state: 'read' }>['answer']>): Point {
  return { at, state: 'read', answer: { blocks: { polygon: 47 }, missing: [], net: '20', unpriced: 0, held: new Map([['farm', held]]), ...given } };
}

const NET: Series = { of: 'net' };
const FARM: Series = { of: 'position', position: held, network: 'polygon' };

test('a sum that lacks a protocol is a gap, and one that always lacks it is not', () => {
  assert.deepEqual(valueAt(point(0, {}), NET), { state: 'known', value: '20', apart: null });
  const passing = point(0, { missing: [{ what: 'aave_v3', network: 'ethereum', reason: 'timeout' }] });
  assert.deepEqual(valueAt(passing, NET), { state: 'gap', why: 'aave_v3 on ethereum: it took too long' });
  assert.deepEqual(valueAt(passing, FARM), { state: 'known', value: '12.5', apart: null });
  assert.equal(valueAt(point(0, { missing: [{ what: '*', network: 'base', reason: 'not-configured' }] }), NET).state, 'known');
});

test('a position that is not there says why', () => {
  assert.deepEqual(valueAt(point(0, { held: new Map() }), FARM), { state: 'gap', why: 'the account did not have it' });
  const unread = point(0, { held: new Map(), missing: [{ what: '*', network: 'polygon', reason: 'state-unavailable' }] });
  assert.deepEqual(valueAt(unread, FARM), { state: 'gap', why: 'polygon: no node has the state of the block' });
  assert.deepEqual(valueAt(point(0, { held: new Map([['farm', { ...held, dollarValue: null }]]) }), FARM), { state: 'gap', why: 'a price is not known' });
  assert.deepEqual(valueAt(point(0, {}), { ...FARM, amount: 'staked 0x1 0' }), { state: 'known', value: '3', apart: null });
});

test('gaps with one reason are listed once', () => {
  const points: Point[] = [{ at: 1, state: 'failed', why: 'no' }, point(2, {}), { at: 3, state: 'failed', why: 'no' }, { at: 4, state: 'waiting' }];
  assert.deepEqual(gapsOf(points, points.map((one) => valueAt(one, NET))), [{ why: 'no', times: [1, 3] }]);
});
