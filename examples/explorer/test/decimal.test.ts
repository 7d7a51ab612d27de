// Amounts keep every digit, whatever is done with them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, compare, decimal, subtract, sum, text } from '../src/base/decimal.js';

test('every digit of an amount stays', () => {
  for (const amount of ['0', '1.5', '0.000000000000000001', '-12.75', '123456789012345678901234567890.000000000000000001']) {
    assert.equal(text(decimal(amount)), amount);
  }
});

test('an exponent only moves the point', () => {
  assert.equal(text(decimal('1.5E+3')), '1500');
  assert.equal(text(decimal('25e-3')), '0.025');
});

test('sums are exact where numbers of JavaScript are not', () => {
  assert.equal(text(add(decimal('0.1'), decimal('0.2'))), '0.3');
  assert.equal(text(subtract(decimal('1'), decimal('0.000000000000000001'))), '0.999999999999999999');
  assert.equal(text(sum(['9007199254740993', null, '0.5'])), '9007199254740993.5');
  assert.ok(compare(decimal('1.0'), decimal('1')) === 0);
});

test('what is not a decimal is refused', () => {
  for (const wrong of ['', 'NaN', '1,5', '0x10', '1.']) assert.throws(() => decimal(wrong), RangeError);
});
