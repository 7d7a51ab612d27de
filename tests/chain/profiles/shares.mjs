// Chain id 1: shares of pools. Curve's real pool of four coins with its real token, known to a double of the registry;
// Balancer's real vault with pools of two of its factories, weighted and stable, of which the second has minted its own
// shares beforehand, and a pool of no factory. They are staked in doubles of gauges. See tests/tests/e2e/shares.rs.
import { encodeAbiParameters, getContractAddress } from 'viem';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const ZERO = '0x0000000000000000000000000000000000000000';
const MONTH = 30n * 86_400n;

export const shares = {
  name: 'shares',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const { farmer, whale, deployer } = world.accounts;
    const token = (name, symbol, decimals) => world.deploy('TokenDouble', [name, symbol, decimals]);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const give = (to, coin, amount) => {
      of('TokenDouble', coin)('deployer', 'mint', [farmer, amount]);
      of('TokenDouble', coin)('farmer', 'approve', [to, ALL]);
    };
    const dai = token('Dai', 'DAI', 18);
    const usdc = token('USD Coin', 'USDC', 6);
    const usdt = token('Tether', 'USDT', 6);
    const susd = token('Synth sUSD', 'sUSD', 18);
    const bal = token('Balancer', 'BAL', 18);
    const weth = token('Wrapped Ether', 'WETH', 18);
    const crv = token('Curve DAO Token', 'CRV', 18);

    // Curve: 1,000 DAI, 2,000 USDC, 3,000 USDT and 4,000 sUSD.
    const coins = [dai, usdc, usdt, susd];
    const amounts = [1_000n * ONE, 2_000n * 10n ** 6n, 3_000n * 10n ** 6n, 4_000n * ONE];
    const curveShare = world.deploy('CurvePoolERC20', ['Curve.fi DAI/USDC/USDT/sUSD', 'crvPlain3andSUSD', 18n, 0n]);
    const pool = world.deploy('Stableswap', [coins, coins, curveShare, 100n, 4_000_000n]);
    of('CurvePoolERC20', curveShare)('deployer', 'set_minter', [pool]);
    coins.forEach((coin, i) => give(pool, coin, amounts[i]));
    of('Stableswap', pool)('farmer', 'add_liquidity', [amounts, 0n]);
    const registry = world.deploy('MetaRegistryDouble');
    of('MetaRegistryDouble', registry)('deployer', 'add', [pool, curveShare, 4n]);

    // Balancer: 800 BAL and 20 WETH by weight, 500 DAI and 700 USDC as stable coins, 10 WETH in the pool of no factory.
    const authorizer = world.deploy('Authorizer', [deployer]);
    const vault = world.deploy('Vault', [authorizer, weth, 3n * MONTH, MONTH]);
    const [weighted, stable] = ['WeightedPool2TokensFactory', 'StablePhantomPoolFactory'].map((name) => world.deploy(name, [vault]));
    const sorted = (rows) => [...rows].sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1));
    const [heavy, light] = sorted([[bal, 8n], [weth, 2n]]);
    of('WeightedPool2TokensFactory', weighted)('deployer', 'create', ['80 BAL 20 WETH', 'B-80BAL-20WETH', [heavy[0], light[0]], [heavy[1] * ONE / 10n, light[1] * ONE / 10n], ONE / 100n, false, ZERO]);
    const stables = sorted([[dai], [usdc]]).map(([coin]) => coin);
    of('StablePhantomPoolFactory', stable)('deployer', 'create', ['Stable', 'B-STABLE', stables, 200n, [ZERO, ZERO], [0n, 0n], ONE / 1_000n, ZERO]);
    const unknown = world.deploy('UnknownPoolDouble', [vault, [weth]]);
    of('UnknownPoolDouble', unknown)('deployer', 'mint', [farmer, ONE]);
    await world.mine();
    // The last contract that a factory has made.
    const made = async (factory) => {
      const nonce = BigInt(await world.anvil.rpc('eth_getTransactionCount', factory, 'latest')) - 1n;
      return getContractAddress({ from: factory, nonce }).toLowerCase();
    };
    const [weightedPool, stablePool] = await Promise.all([weighted, stable].map(made));
    const held = { [bal]: 800n * ONE, [weth]: 20n * ONE, [dai]: 500n * ONE, [usdc]: 700n * 10n ** 6n };
    give(vault, weth, 30n * ONE);
    [bal, dai, usdc].forEach((coin) => give(vault, coin, held[coin]));
    const list = [{ type: 'uint256[]' }];
    const init = (given) => encodeAbiParameters([{ type: 'uint256' }, ...list], [0n, given]);
    for (const [to, given, data] of [[weightedPool, (coin) => held[coin], init], [stablePool, (coin) => held[coin] ?? 0n, init], [unknown, () => 10n * ONE, (amounts) => encodeAbiParameters(list, [amounts])]]) {
      const id = await world.view(to, 'UnknownPoolDouble', 'getPoolId');
      const [assets] = await world.view(vault, 'Vault', 'getPoolTokens', [id]);
      const data_ = data(assets.map((asset) => given(asset.toLowerCase())));
      of('Vault', vault)('farmer', 'joinPool', [id, farmer, farmer, { assets, maxAmountsIn: assets.map(() => ALL), userData: data_, fromInternalBalance: false }]);
      await world.mine();
    }

    // A quarter of what the farmer has of each goes to the whale; half of the rest is staked.
    const factory = world.deploy('ChildGaugeFactoryDouble', [crv]);
    const all = { curveShare, weightedPool, stablePool, unknown };
    const supplies = {};
    for (const [name, share] of Object.entries(all)) {
      supplies[name] = await world.view(share, 'TokenDouble', 'balanceOf', [farmer]);
      of('TokenDouble', share)('farmer', 'transfer', [whale, supplies[name] / 4n]);
      of('ChildGaugeFactoryDouble', factory)('deployer', 'deploy_gauge', [share, 0n]);
    }
    await world.mine();
    for (const [i, [name, share]] of Object.entries(all).entries()) {
      const gauge = (await world.view(factory, 'ChildGaugeFactoryDouble', 'get_gauge', [BigInt(i)])).toLowerCase();
      of('TokenDouble', share)('farmer', 'approve', [gauge, ALL]);
      of('ChildGaugeDouble', gauge)('farmer', 'deposit', [supplies[name] * 3n / 8n]);
    }
    await world.at(SNAPSHOT);
    const contracts = { dai, usdc, usdt, susd, bal, weth, crv, registry, pool, vault, weighted, stable, factory, ...all };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { shares: contracts, supplies: Object.fromEntries(Object.entries(supplies).map(([name, supply]) => [name, `${supply}`])) } };
  },
};
