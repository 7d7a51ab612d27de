// A token that reads like a listed one is marked, however it is written.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isListed, type Mark, marksOf, skeleton, withTokens } from '../src/account/lookalikes.js';

type Some = { address: string; symbol: string; name: string; logo: string | null; listed?: boolean; lookalike?: boolean };

const REAL: Some = { address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', symbol: 'USDC', name: 'USD Coin', logo: 'https://example.org/usdc.png' };
const other = (symbol: string, more: Partial<Some> = {}): Some => ({ address: '0x00000000000000000000000000000000000000ff', symbol, name: 'Something', logo: null, ...more });
const markOf = (...tokens: [number, Some][]): Mark | undefined => marksOf(withTokens(new Map(), tokens)).get('1:0x00000000000000000000000000000000000000ff');

test('letters of other scripts, widths and invisible characters do not hide a symbol', () => {
  for (const fake of ['UЅDС', 'ＵＳＤＣ', 'US\u200bDC', 'usdc', 'U5DC', 'ÜSDC', 'U.S.D.C', '\u202eUSDC']) assert.equal(skeleton(fake), skeleton('USDC'), fake);
  assert.notEqual(skeleton('USDT'), skeleton('USDC'));
});

test('an unlisted token with the symbol or the name of a listed one is a lookalike', () => {
  assert.equal(markOf([1, REAL], [1, other('UЅDC')]), 'lookalike');
  assert.equal(markOf([1, REAL], [1, other('COIN', { name: 'USD C0in' })]), 'lookalike');
  // A fake on one network imitates tokens of every network.
  assert.equal(markOf([10, REAL], [1, other('USDC')]), 'lookalike');
});

test('what the gateway says about a token counts', () => {
  assert.equal(markOf([1, other('ETH', { listed: false, lookalike: true })]), 'lookalike');
  assert.equal(markOf([1, other('XYZ', { listed: false, lookalike: false })]), 'unlisted');
  assert.equal(markOf([1, other('USDC', { listed: true })], [1, REAL]), null);
});

test('what is not known is not marked, and what was known stays known', () => {
  assert.equal(isListed(other('XYZ')), null);
  assert.equal(markOf([1, other('XYZ')]), null);
  assert.equal(markOf([1, other('XYZ', { listed: false })], [1, other('XYZ')]), 'unlisted');
});

test('two tokens of one network that no list tells apart are namesakes', () => {
  const twin = { ...other('QUICK', { listed: false }), address: '0x00000000000000000000000000000000000000ee' };
  assert.equal(markOf([1, other('QUICK', { listed: false })], [1, twin]), 'namesake');
  assert.equal(markOf([1, other('QUICK', { listed: false })], [10, twin]), 'unlisted');
});
