// Tokens that break readers of balances; those of odd.mjs break readers of names.
import { maxUint256 } from 'viem';
import { newToken, register } from './tokens.mjs';

const DECIMALS = [1, 8, 24, 27];
export const CODELESS = '0x00000000000000000000000000000000c0de1e55'; // Nothing ever stood there, so that nobody holds it.
const FAILING = ['RevertingBalanceTokenDouble', 'InvalidBalanceTokenDouble', 'ShortBalanceTokenDouble'];

// Rows: [token, amount], to be held by one account.
export function newOddlyHeldTokens(world) {
  const unsupplied = world.deploy('UnsuppliedTokenDouble');
  return [
    ...DECIMALS.map((decimals) => [newToken(world, `Decimals ${decimals}`, `DEC${decimals}`, decimals), 10n ** BigInt(decimals) + 1n]),
    [newToken(world, 'Everything', 'ALL', 18), maxUint256],
    [register(world, unsupplied, { name: 'Unsupplied', symbol: 'UNS', decimals: 18 }, { unsupplied: true }), 5n * 10n ** 18n],
  ];
}

// Their balances cannot be read, whoever has them.
export function newFailingTokens(world) {
  return FAILING.map((artifact) => world.deploy(artifact));
}
