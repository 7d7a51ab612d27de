// The sources of a chain's prices: oracles good and bad, a pair, a vault, a wrapped native token. A token's price by
// them is arithmetic on what was written and put in here.
import { zeroAddress } from 'viem';
import { parse, round } from './decimal.mjs';
import { give, newPairs, newToken, register, wrap } from './tokens.mjs';
import { fair, perShare, spot, worth } from './worth.mjs';

const E18 = 10n ** 18n;
const E6 = 10n ** 6n;
const HEARTBEAT_S = 3_600;
const AGE_S = 1_000; // Of a fresh answer at the snapshot.
const NO_CODE = '0x000000000000000000000000000000000000feed';

// `answer` is what the oracle writes, in its `decimals`; `price` what that is in dollars,
// left out where it must not count.
const FEEDS = [
  { what: 'good', answer: 2_000n * 10n ** 8n, price: '2000' },
  { what: 'coin', answer: 125_000_000n, price: '1.25', digits: 6 },
  { what: 'wide', answer: 3_141_592_653_589_793_238n, decimals: 18, price: '3.141592653589793238' },
  { what: 'small', answer: 1n, price: '0.00000001' },
  { what: 'zero', answer: 0n },
  { what: 'negative', answer: -2_000n * 10n ** 8n },
  { what: 'stale', answer: 2_000n * 10n ** 8n, age: 2 * 86_400 },
  { what: 'unwritten', answer: 2_000n * 10n ** 8n, updatedAt: 0 },
  { what: 'early', answer: 2_000n * 10n ** 8n, age: -1 },
  { what: 'reverting', artifact: 'RevertingAggregatorDouble' },
  { what: 'missing', address: NO_CODE },
];
const NATIVE = { what: 'native', answer: 1_500n * 10n ** 8n + 5n, price: '1500.00000005' };

// The pool before: worth as much on either side, at the feeds' prices.
const POOL = { good: 1_000n * E18, coin: 1_600_000n * E6 };
const SWAPPED = 9_000n * E18;
const FEE = { kept: 997n, of: 1_000n };

// The vault's: not what its shares were bought for.
const VAULT = { assets: 517n * E6 + 3n, shares: { farmer: 300n * E18, whale: 100n * E18 } };

export class PriceSources {
  static async create(world, list, { snapshot, wrapped, times }) {
    const sources = new PriceSources();
    world.sources = Object.assign(sources, { world, list, times });
    sources.feeds = FEEDS.map((row) => ({ ...sources.#feed(row, snapshot), token: sources.#fedToken(row) }));
    sources.native = sources.#feed(NATIVE, snapshot);
    [sources.good, sources.coin] = sources.feeds.map(({ token }) => token);
    await sources.#wrap(wrapped);
    await sources.#pair();
    sources.#vault();
  }

  // The replies that the pool and the vault must give: [call, expected].
  get checks() {
    const { pair, coin, vault } = this;
    const reserves = pair.pair.map((address) => pair.reserves.find(({ half }) => half.address === address).amount);
    return [
      [[pair.address, 'UniswapV2Pair', 'getReserves'], reserves, (all) => all.slice(0, 2)],
      [[vault.address, 'VaultDouble', 'convertToAssets', [E18]], redeemed()],
      [[vault.address, 'VaultDouble', 'asset'], coin.address, (asset) => asset.toLowerCase()],
    ];
  }

  // In one block: a swap of nine times what the pool holds.
  swap() {
    const { world, good, coin, pair } = this;
    const out = (SWAPPED * FEE.kept * POOL.coin) / (POOL.good * FEE.of + SWAPPED * FEE.kept);
    const first = pair.pair[0] === good.address;
    world.send('bystander', good.address, 'TokenDouble', 'mint', [pair.address, SWAPPED]);
    good.supply += SWAPPED;
    world.send('bystander', pair.address, 'UniswapV2Pair', 'swap', [first ? 0n : out, first ? out : 0n, world.accounts.bystander, '0x']);
    this.list.record(coin, 'bystander', out);
    pair.reserves = [{ half: good, amount: POOL.good + SWAPPED }, { half: coin, amount: POOL.coin - out }];
  }

  expected() {
    const { wrapped, coin, vault, feeds, native } = this;
    const row = ({ what, address, price, age }, token) =>
      ({ what, token, feed: address, heartbeatS: HEARTBEAT_S, price: price ?? null, ...(price && { ageS: age }) });
    return {
      feeds: [...feeds.map((feed) => row(feed, feed.token.address)), row(native, zeroAddress)],
      wrapped: { token: wrapped.address, price: native.price },
      pair: this.#pairShare(),
      factory: this.factory,
      vault: { token: vault.address, asset: coin.address, price: round(worth(coin, redeemed(), parse('1.25'))) },
    };
  }

  #feed(row, snapshot) {
    const { what, price, address, artifact = 'AggregatorDouble', answer, decimals = 8, age = AGE_S } = row;
    const args = artifact === 'AggregatorDouble' ? [answer, decimals, BigInt(row.updatedAt ?? snapshot - age)] : [];
    return { what, price, age, address: address ?? this.world.deploy(artifact, args) };
  }

  #fedToken({ what, digits = 18 }) {
    const token = newToken(this.world, `Feed ${what}`, `F${what.toUpperCase()}`, digits);
    this.list.add(token);
    this.list.hold(token, 'farmer', this.times * 3n * 10n ** BigInt(digits) + 1n);
    return token;
  }

  async #wrap(address) {
    const { world, list, times } = this;
    await world.place([[address, 'WETH9']]);
    this.wrapped = list.add(register(world, address, { name: 'Wrapped Ether', symbol: 'WETH', decimals: 18 }, { mintable: false }));
    wrap(world, this.wrapped, 1_000n * E18);
    give(world, this.wrapped, 'farmer', times * E18 + 7n);
    list.record(this.wrapped, 'farmer', times * E18 + 7n);
  }

  async #pair() {
    const { world, list, good, coin } = this;
    this.factory = world.deploy('UniswapV2Factory', [world.accounts.deployer]);
    const [pair] = await newPairs(world, this.factory, [[good, POOL.good, coin, POOL.coin]]);
    this.pair = list.add(pair, { name: 'Pool share', symbol: 'POOL', decimals: 18 });
    const shares = pair.supply / 7n;
    give(world, pair, 'farmer', shares);
    list.record(pair, 'farmer', shares);
  }

  #vault() {
    const { world, list, coin } = this;
    const shown = { name: 'Vault of coins', symbol: 'vCOIN', decimals: 18 };
    const address = world.deploy('VaultDouble', [coin.address, shown.name, shown.symbol]);
    this.vault = list.add(register(world, address, shown));
    Object.entries(VAULT.shares).forEach(([who, shares]) => list.hold(this.vault, who, shares));
    give(world, coin, address, VAULT.assets);
  }

  // One whole share: of the pool as it was, at its fair reserves, and at those that the swap left.
  #pairShare() {
    const { good, coin, pair } = this;
    const halves = (goods, coins) => [worth(good, goods, parse('2000')), worth(coin, coins, parse('1.25'))];
    const shown = (total) => round(perShare(pair, total));
    const left = halves(...pair.reserves.map(({ amount }) => amount));
    return { token: pair.address, pair: pair.pair, before: shown(spot(halves(POOL.good, POOL.coin))), fair: shown(fair(left)), spot: shown(spot(left)) };
  }
}

// The amount that one share of the vault redeems to; ERC-4626 rounds down.
function redeemed() {
  const supply = Object.values(VAULT.shares).reduce((sum, shares) => sum + shares, 0n);
  return (E18 * VAULT.assets) / supply;
}
