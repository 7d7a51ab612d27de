// One network's token list: thousands of clones and whatever else is put on it, who holds
// what of that, and the list's document.
import { concat, getAddress, keccak256, numberToHex, sliceHex } from 'viem';
import { give, register } from './tokens.mjs';

const BATCH = 1000; // Of one request to anvil, whose size is bounded.
const TIMESTAMP = '2025-06-15T00:00:00Z';

export class TokenList {
  constructor(world) {
    Object.assign(this, { world, rows: [], failing: [], codeless: [], holders: new Map() });
    world.list = this;
  }

  get addresses() {
    return this.rows.map(({ address }) => address);
  }

  // `listed` is { name, symbol, decimals } of the document; `logo` stands there too, if any.
  add(token, listed = token, logo = undefined) {
    this.rows.push({ address: token.address, name: listed.name, symbol: listed.symbol, decimals: listed.decimals, logo });
    token.logo = logo;
    return token;
  }

  addFailing(address) {
    const number = this.failing.push(address);
    this.rows.push({ address, name: `Failing ${number}`, symbol: `FAIL${number}`, decimals: 18 });
  }

  // No contract stands there.
  addCodeless(address) {
    this.codeless.push(address);
    this.rows.push({ address, name: 'Nowhere', symbol: 'NONE', decimals: 18 });
  }

  // Fills the list up with clones. `world` knows only those that somebody holds.
  async fill(count, logoOf) {
    const { anvil } = this.world;
    const code = cloneCode(this.world.deploy('ListedTokenDouble'));
    await this.world.mine();
    const clones = Array.from({ length: count - this.rows.length }, (_, number) => clone(number));
    for (let at = 0; at < clones.length; at += BATCH) {
      await anvil.batch(clones.slice(at, at + BATCH).map(({ address }) => ['anvil_setCode', address, code]));
    }
    return clones.map((token, number) => this.add(token, token, logoOf(number)));
  }

  // Mints to an account and writes it down.
  hold(token, who, amount) {
    const known = this.world.tokens.get(token.address) ?? register(this.world, token.address, token, { logo: token.logo });
    give(this.world, known, who, amount);
    if (known.unsupplied) known.supply = 0n;
    this.record(known, who, amount);
  }

  // Records a balance that came to an account otherwise.
  record({ address }, who, amount) {
    if (!this.holders.has(address)) this.holders.set(address, new Map());
    this.holders.get(address).set(who, this.amountOf(address, who) + amount);
  }

  amountOf(address, who) {
    return this.holders.get(address)?.get(who) ?? 0n;
  }

  // By the standard of tokenlists.org.
  document(chainId) {
    const tokens = this.rows.map(({ address, logo, ...listed }) => ({ chainId, address: getAddress(address), ...listed, ...(logo && { logoURI: logo }) }));
    return { name: 'Test chain', timestamp: TIMESTAMP, version: { major: 1, minor: 0, patch: 0 }, tokens };
  }
}

// As its code has it; the address is the same on every network.
function clone(number) {
  const address = concat(['0x70', sliceHex(keccak256(numberToHex(number, { size: 4 })), 0, 17), numberToHex(number, { size: 2 })]);
  return { address, name: `Listed ${number}`, symbol: `LST${number}`, decimals: [18, 6, 8, 18][number % 4] };
}

// ERC-1167: hands every call on.
function cloneCode(target) {
  return concat(['0x363d3d373d3d3d363d73', target, '0x5af43d82803e903d91602b57fd5bf3']);
}
