// Events in words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '../src/api/types.js';
import { accountsOf } from '../src/transaction/answer.js';
import { sentence } from '../src/transaction/phrases.js';

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const C = `0x${'c'.repeat(40)}`;

/** Writes a sentence with the names of its members. */
function told(type: string, members: Record<string, unknown>): string | undefined {
  return sentence(type, members)?.map((piece) => ('text' in piece ? piece.text : `<${piece.member}${piece.of === undefined ? '' : ` ${piece.of}`}>`)).join('');
}

test('a part is left out if it is not known, or names an address again', () => {
  const swap = { user: A, fromAmount: '1', fromToken: {}, toAmount: '2', toToken: {}, pool: C };
  assert.equal(told('SWAP', { ...swap, recipient: B }), '<user> swapped <fromAmount fromToken> for <toAmount toToken>, paid to <recipient>');
  assert.equal(told('SWAP', { ...swap, recipient: A }), '<user> swapped <fromAmount fromToken> for <toAmount toToken>');
  assert.equal(told('SWAP', { ...swap, recipient: null }), '<user> swapped <fromAmount fromToken> for <toAmount toToken>');
});

test('a part that is not optional stays, known or not', () => {
  assert.equal(told('TRANSFER', { from: null, to: null, asset: null, amount: null }), '<amount asset> went from <from> to <to>');
});

test('a type that is not known has no sentence, whatever it is called', () => {
  assert.equal(sentence('FLASH_LOAN', {}), null);
  assert.equal(sentence('toString', {}), null);
  assert.equal(sentence('__proto__', {}), null);
});

test('a transaction is told for the account that most events name, and not for a contract that logs', () => {
  const event = (contract: string, metadata: object) => ({ type: 'TRANSFER', protocol: null, contract, metadata }) as unknown as Event;
  const items = [event(C, { from: C, to: B }), event(C, { from: B, to: A }), event(C, { from: `0x${'0'.repeat(40)}`, to: B })];
  assert.deepEqual(accountsOf(items), [B, A]);
  assert.deepEqual(accountsOf([]), []);
});
