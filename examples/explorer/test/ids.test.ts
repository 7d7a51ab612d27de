// What is pasted is taken for what it is, and links lead back to it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, cut } from '../src/base/text.js';
import { addressIn, wanted } from '../src/base/ids.js';
import { parseRoute, toAccount, toPlan, toTransaction } from '../src/router.js';

const ACCOUNT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const HASH = `0x${'ab'.repeat(32)}`;

test('addresses, names, hashes and CAIP-10 ids are known', () => {
  assert.deepEqual(wanted(` ${ACCOUNT} `), { what: 'account', account: ACCOUNT });
  assert.deepEqual(wanted(`eip155:1:${ACCOUNT}`), { what: 'account', account: ACCOUNT });
  assert.deepEqual(wanted('vitalik.eth'), { what: 'account', account: 'vitalik.eth' });
  assert.deepEqual(wanted(HASH.toUpperCase().replace('0X', '0x')), { what: 'transaction', hash: HASH });
});

test('an account has an address, or a name that the gateway resolves', () => {
  assert.equal(addressIn(`eip155:10:${ACCOUNT}`), ACCOUNT);
  assert.equal(addressIn(ACCOUNT.toUpperCase().replace('0X', '0x')), ACCOUNT);
  assert.equal(addressIn('vitalik.eth'), null);
});

test('anything else gets a reason', () => {
  for (const wrong of ['', '0x1234', 'hello', 'two words.eth', '<b>.</b>/']) assert.equal(wanted(wrong).what, 'nothing', wrong);
});

test('links lead to their page', () => {
  assert.deepEqual(parseRoute(toAccount('a b.eth')), { page: 'account', account: 'a b.eth' });
  assert.deepEqual(parseRoute(toPlan(ACCOUNT, 'polygon')), { page: 'plan', account: ACCOUNT, network: 'polygon' });
  assert.deepEqual(parseRoute(toTransaction('polygon', HASH)), { page: 'transaction', network: 'polygon', hash: HASH });
  assert.deepEqual(parseRoute(`#/account/${ACCOUNT}/history`), { page: 'history', account: ACCOUNT });
  assert.deepEqual(parseRoute(''), { page: 'search' });
  assert.deepEqual(parseRoute('#/account/x/nowhere'), { page: 'unknown' });
  assert.deepEqual(parseRoute('#/account/%E0%A4%A'), { page: 'account', account: '%E0%A4%A' });
});

test("strangers' words have nothing unseen, and are cut at whole characters", () => {
  assert.equal(clean('US\u202eDC\u0000\u200b'), 'USDC');
  assert.equal(cut('😀😀😀😀', 3), '😀😀…');
});
