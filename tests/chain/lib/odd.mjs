// Tokens that break naive clients. `shown` is what a careful one shows: bytes32 as
// text up to the first zero byte; a missing, reverting or gas-burning name as ""; no
// amount of a token whose decimals neither it nor a list has (null); control and direction characters removed; at most 64 characters;
// letters that are written from right to left in an isolate (U+2068 to U+2069).
import { stringToHex } from 'viem';
import { register } from './tokens.mjs';

const FULL_BYTES32 = 'A bytes32 name of all its bytes!'; // 32 characters: no zero byte ends it.

const ROWS = [
  ['TokenDouble', ['Zero Decimals', 'ZERO', 0], { name: 'Zero Decimals', symbol: 'ZERO', decimals: 0 }],
  ['TokenDouble', ['Six Decimals', 'SIX', 6], { name: 'Six Decimals', symbol: 'SIX', decimals: 6 }],
  ['TokenDouble', ['Many Decimals', 'MANY', 77], { name: 'Many Decimals', symbol: 'MANY', decimals: 77 }],
  ['Bytes32TokenDouble', [bytes32(FULL_BYTES32), bytes32('B32')], { name: FULL_BYTES32, symbol: 'B32', decimals: 18 }],
  ['RevertingSymbolTokenDouble', [], { name: 'Reverting Symbol', symbol: '', decimals: 18 }],
  ['TokenDouble', ['Empty Symbol', '', 18], { name: 'Empty Symbol', symbol: '', decimals: 18 }],
  ['HugeSymbolTokenDouble', [], { name: 'Huge Symbol', symbol: 'M'.repeat(64), decimals: 18 }],
  // Hebrew letters are text and stay; what turns the text around goes.
  ['TokenDouble', ['Right\u2066 to\n Left\u2069', '\u202e\u05e9\u05e7\u05dc\u202c\u0007\u200fX', 18], { name: 'Right to Left', symbol: '\u2068\u05e9\u05e7\u05dcX\u2069', decimals: 18 }],
  ['BareTokenDouble', [], { name: '', symbol: '', decimals: null }],
  ['TokenDouble', ['First Twin', 'TWIN', 18], { name: 'First Twin', symbol: 'TWIN', decimals: 18 }],
  ['TokenDouble', ['Second Twin', 'TWIN', 18], { name: 'Second Twin', symbol: 'TWIN', decimals: 18 }],
  ['LoopingSymbolTokenDouble', [], { name: 'Looping Symbol', symbol: '', decimals: 18 }],
  ['InvalidMetadataTokenDouble', [], { name: '', symbol: '', decimals: null }],
];

export function newOddTokens(world) {
  return ROWS.map(([artifact, args, shown]) => register(world, world.deploy(artifact, args), shown, { ordinary: false }));
}

function bytes32(text) {
  return stringToHex(text, { size: 32 });
}
