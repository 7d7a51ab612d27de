// Scales, ticks and the parts of a line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extent, runs } from '../src/chart/runs.js';
import { digitsOf, labelled, nice, scale, tickStep } from '../src/chart/scale.js';
import { dollarTick, tick } from '../src/chart/ticks.js';

test('a scale maps ends to ends, and one value to the middle', () => {
  const y = scale([10, 20], [200, 0]);
  assert.deepEqual([10, 15, 20].map(y), [200, 100, 0]);
  assert.equal(scale([5, 5], [0, 100])(5), 50);
});

test('steps are 1, 2 or 5 times a power of ten', () => {
  assert.equal(tickStep([0, 100], 5), 20);
  assert.equal(tickStep([0, 0.3], 3), 0.1);
  assert.equal(tickStep([0, 130_000], 4), 50_000);
});

test('ticks are multiples of their step without the dust of floats, and hold all values', () => {
  const { ticks, step, domain } = nice([0.1, 0.3], 4);
  assert.equal(step, 0.1);
  assert.deepEqual(ticks, [0, 0.1, 0.2, 0.3, 0.4]);
  assert.deepEqual(domain, [0, 0.4]);
});

test('the room around values does not cross zero, and one value has room', () => {
  assert.equal(nice([0, 100], 4).domain[0], 0);
  assert.equal(nice([-100, 0], 4).domain[1], 0);
  const { domain } = nice([100, 100], 4);
  assert.ok(domain[0] < 100 && domain[1] > 100);
  const [low, high] = nice([0, 0], 4).domain;
  assert.ok(low <= 0 && high > 0);
});

test('two ticks never read the same', () => {
  for (const interval of [[0, 1], [268_990, 269_010], [1e6, 1.000_01e6], [0, 1e-9], [-5e9, 7e9], [99_999, 100_001]] as [number, number][]) {
    const { ticks, step } = nice(interval, 5);
    const texts = ticks.map((value) => dollarTick(value, step));
    assert.equal(new Set(texts).size, ticks.length, texts.join(' '));
  }
  assert.equal(tick(0.25, 0.05).length, 4);
});

test('digits tell steps apart', () => {
  assert.deepEqual([1000, 1, 0.5, 0.01, 0.002].map(digitsOf), [0, 0, 1, 2, 3]);
});

test('labels are evenly spaced and end with the newest', () => {
  assert.deepEqual(labelled(31, 4), [6, 14, 22, 30]);
  assert.deepEqual(labelled(3, 10), [0, 1, 2]);
  assert.deepEqual(labelled(0, 3), []);
});

test('a missing point parts a line, and is not guessed', () => {
  assert.deepEqual(runs([1, 2, null, 4, null, null, 7]), [
    [{ index: 0, value: 1 }, { index: 1, value: 2 }],
    [{ index: 3, value: 4 }],
    [{ index: 6, value: 7 }],
  ]);
  assert.deepEqual(runs([null, null]), []);
  assert.deepEqual(extent([null, 3, -2, null]), [-2, 3]);
  assert.equal(extent([null]), null);
});
