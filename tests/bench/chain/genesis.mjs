// node genesis.mjs OUTDIR TOKENS: writes OUTDIR/genesis.json for `anvil --init` and OUTDIR/world.json, which says what
// stands there. Same input, same output, but for the genesis' time.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';
import { concat, encodeAbiParameters, hexToBigInt, keccak256, numberToHex, padHex, sliceHex, stringToHex } from 'viem';
import { multicall3Bytecode } from './node_modules/viem/_esm/constants/contracts.js';

const CHAIN_ID = 137; // One that the gateway knows.
const ACCOUNTS = 64; // More than rounds: nothing is read twice, so nothing is answered from memory.
const HELD = 50; // Tokens that an account has.
const FIRST_HELD = 7; // The place of the first of them; the others follow at equal distances.
const PROTOCOLS = 50;
const LEVELS = 3; // Registry, pool, farm.
const AGE_S = 60; // The chain's first block is as old as that.
const PREFIXES = { token: '0x70', account: '0xac', rung: '0x5a' };

const [out, text] = process.argv.slice(2);
const count = Number(text);
if (!out || !Number.isInteger(count) || count < HELD) {
  console.error('usage: node genesis.mjs OUTDIR TOKENS');
  process.exit(2);
}

const code = compiled(['Token', 'Rung']);
const alloc = {};
const accounts = times(ACCOUNTS, (i) => address(PREFIXES.account, keccak256(numberToHex(i, { size: 4 }))));
const tokens = times(count, (i) => address(PREFIXES.token, keccak256(numberToHex(i, { size: 4 }))));
const balanceSlots = accounts.map((account) => mappingSlot(account, 0));
const held = accounts.map(() => ({}));

tokens.forEach((token, i) => {
  const [name, symbol] = i < PROTOCOLS ? ['Reward', 'RWD'] : ['Token', 'TKN'];
  const texts = { [word(3)]: shortString(`${name} ${i}`), [word(4)]: shortString(`${symbol}${i}`) };
  const storage = { [word(2)]: word(10n ** 27n), ...texts };
  const place = (i - FIRST_HELD) / Math.floor(count / HELD);
  if (Number.isInteger(place) && place >= 0 && place < HELD) {
    accounts.forEach((account, who) => {
      const amount = hexToBigInt(sliceHex(keccak256(concat([account, token])), 0, 10)) + 1n;
      storage[balanceSlots[who]] = word(amount);
      held[who][i] = String(amount);
    });
  }
  alloc[token] = { balance: '0x0', code: code.Token, storage };
});

for (let protocol = 0; protocol < PROTOCOLS; protocol += 1) {
  for (let level = 0; level < LEVELS; level += 1) {
    const last = level === LEVELS - 1;
    const storage = last
      ? { [word(1)]: padHex(tokens[protocol], { size: 32 }), ...Object.fromEntries(accounts.map((account) => [mappingSlot(account, 2), word(protocol + 1)])) }
      : { [word(0)]: padHex(rung(protocol, level + 1), { size: 32 }) };
    if (last) alloc[tokens[protocol]].storage[mappingSlot(rung(protocol, level), 0)] = word(10n ** 18n);
    alloc[rung(protocol, level)] = { balance: '0x0', code: code.Rung, storage };
  }
}

mkdirSync(out, { recursive: true });
const timestamp = numberToHex(Math.floor(Date.now() / 1000) - AGE_S);
const head = { config: { chainId: CHAIN_ID }, nonce: '0x0', timestamp, extraData: '0x', gasLimit: numberToHex(30_000_000), difficulty: '0x0' };
writeFileSync(join(out, 'genesis.json'), JSON.stringify({ ...head, alloc }));
// Each pays its place and one of the token at its place.
const farms = times(PROTOCOLS, (i) => rung(i, LEVELS - 1));
writeFileSync(join(out, 'world.json'), JSON.stringify({ chainId: CHAIN_ID, accounts, tokens, held, farms, multicall3: multicall3Bytecode }));

function compiled(names) {
  const sources = Object.fromEntries(names.map((name) => [`${name}.sol`, { content: readFileSync(new URL(`${name}.sol`, import.meta.url), 'utf8') }]));
  const settings = { optimizer: { enabled: true, runs: 1000 }, evmVersion: 'paris', outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } } };
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })));
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return Object.fromEntries(names.map((name) => [name, `0x${output.contracts[`${name}.sol`][name].evm.deployedBytecode.object}`]));
}

// The plugin's table has the same: prefix, level and protocol in the last two bytes.
function rung(protocol, level) {
  return concat([PREFIXES.rung, padHex(numberToHex(level * 256 + protocol), { size: 19 })]);
}

function address(prefix, hash) {
  return concat([prefix, sliceHex(hash, 0, 19)]);
}

function word(number) {
  return numberToHex(number, { size: 32 });
}

function mappingSlot(key, slot) {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, BigInt(slot)]));
}

// As Solidity stores texts of less than 32 bytes: the bytes, and twice their number in the last one.
function shortString(value) {
  return concat([padHex(stringToHex(value), { dir: 'right', size: 31 }), numberToHex(value.length * 2, { size: 1 })]);
}

function times(n, make) {
  return Array.from({ length: n }, (_, i) => make(i));
}
