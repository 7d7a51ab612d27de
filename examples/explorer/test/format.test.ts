// What is shown is short, never more than it is, and never zero for something.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, dollars, factor, fromNow, fullAmount, shortHex } from '../src/base/format.js';

// The tests run in the language of whoever runs them.
const plain = (text: string) => text.replaceAll(new Intl.NumberFormat().format(1000)[1] ?? ',', '').replace(/[\u00a0\u202f]/g, ' ');
const point = new Intl.NumberFormat().format(1.5)[1] ?? '.';
const written = (text: string) => text.replaceAll('.', point);

test('an amount is rounded towards zero', () => {
  assert.equal(plain(amount('1.9999999')), written('1.99999'));
  assert.equal(plain(amount('4067.401011')), written('4067.4'));
  assert.equal(plain(amount('-0.0000015')), written('-0.0000015'));
});

test('dust is shown as less than something, and never as zero', () => {
  assert.equal(amount('0.000000000000000001'), `< ${written('0.000001')}`);
  assert.equal(amount('0'), '0');
  assert.ok(dollars('0.0001').startsWith('< '));
  assert.ok(dollars('-0.0001').startsWith('> '));
});

test('the full amount has every digit', () => {
  assert.equal(plain(fullAmount('15218.858600823796816063')), written('15218.858600823796816063'));
  assert.equal(plain(fullAmount('-0.5')), written('-0.5'));
  assert.equal(plain(fullAmount('1.2407415E-33')), written(`0.${'0'.repeat(32)}12407415`));
});

test('a health factor below one is never shown as one', () => {
  assert.equal(factor('0.9999'), written('0.99'));
  assert.equal(factor('2.2606'), written('2.26'));
});

test('times are seen from now', () => {
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  assert.equal(fromNow(1000 + 3 * 86_400 + 5, 1000), relative.format(3, 'day'));
  assert.equal(fromNow(1000 - 7200, 1000), relative.format(-2, 'hour'));
});

test('hex is cut in its middle', () => {
  assert.equal(shortHex('0x70997970c51812dc3a010c7d01b50e0d17dc79c8'), '0x7099…79c8');
  assert.equal(shortHex('0x0'), '0x0');
});
