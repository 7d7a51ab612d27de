// The operators' page: the last hour in steps, and what needs a person first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotsOf } from '../src/operators/hour.js';
import { byTrouble, kindOf } from '../src/operators/states.js';
import type { Step } from '../src/operators/types.js';

const step = (at: number, answers: number): Step => ({
  at, answers, problems: 0, partial: 0, inFlight: 0, p50Ms: null, p99Ms: null, memoryBytes: 1, nodeRequests: 0, nodeErrors: 0, jobs: 0, jobFailures: 0,
});

test('the last hour has a place for each step, and those before the start are missing', () => {
  const slots = slotsOf({ stepSeconds: 15, points: [step(1000, 1), step(1015, 2), step(1045, 3)] });
  assert.equal(slots.length, 240);
  assert.deepEqual(slots.slice(-4).map(({ step: one }) => one?.answers ?? null), [1, 2, null, 3]);
  assert.equal(slots.filter(({ step: one }) => one !== null).length, 3);
  assert.equal(slots.at(-1)!.at - slots[0]!.at, 3600 - 15);
});

test('a step that came late is in its own place, and one that is older than the hour in none', () => {
  const slots = slotsOf({ stepSeconds: 15, points: [step(0, 9), step(10_000, 1), step(10_016, 2), step(10_030, 3)] });
  assert.deepEqual(slots.slice(-3).map(({ step: one }) => one?.answers), [1, 2, 3]);
  assert.ok(!slots.some(({ step: one }) => one?.answers === 9));
});

test('a gateway without steps has no hour', () => {
  assert.deepEqual(slotsOf({ stepSeconds: 15, points: [] }), []);
});

test('what needs a person comes first, and a state that is not known is plain', () => {
  assert.deepEqual(['active', 'disabled', 'rejected', 'waiting'].sort(byTrouble), ['rejected', 'waiting', 'disabled', 'active']);
  assert.equal(kindOf('constructor'), 'plain');
});
