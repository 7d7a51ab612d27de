// Sums count what the gateway's totals count, and nothing twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Balance, Claimable, Position } from '../src/api/types.js';
import { text } from '../src/base/decimal.js';
import { claimableOf, heldOf, receiptsOf, sumsOf } from '../src/account/worth.js';

const network = { name: 'ETHEREUM', logo: '', chainId: 1 };
const leg = (role: string, dollarValue: string | null, receipt: string | null = null) => ({ role, dollarValue, receipt });
const position = (...legs: ReturnType<typeof leg>[]) => ({ network, legs }) as unknown as Position;
const balance = (address: string, dollarValue: string) => ({ network, token: { address }, dollarValue }) as unknown as Balance;
const claim = (simulated: string | null, dollarValue: string) => ({ simulated, dollarValue }) as unknown as Claimable;

test('debts are taken off, and what is owed to the account is a claim', () => {
  const sums = sumsOf([position(leg('supplied', '100.1'), leg('borrowed', '40.05'), leg('rewardOwed', '7'), leg('staked', null))]);
  assert.equal(text(sums.assets), '100.1');
  assert.equal(text(sums.debts), '40.05');
  assert.equal(text(sums.net), '60.05');
  assert.equal(sums.unpriced, 1);
});

test('a receipt that stands for a position is not counted again', () => {
  const receipts = receiptsOf([position(leg('supplied', '100', '0xAA'))]);
  assert.equal(text(heldOf([balance('0xaa', '100'), balance('0xbb', '5')], receipts)), '5');
});

test('claims that fail, differ or are refused are in no sum', () => {
  assert.equal(text(claimableOf([claim('paid', '1.5'), claim(null, '2'), claim('reverted', '10'), claim('differs', '20'), claim('refused', '40')])), '3.5');
});
