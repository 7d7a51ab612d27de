// Chain id 1: a double of a comptroller of Compound v2 with three markets, and one of a pool of Venus. The tests know by arithmetic what its accounts
// have; see tests/tests/e2e/comptroller.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const NATIVE = '0x0000000000000000000000000000000000000000';
const BORROW_RATE = 2n * 10n ** 9n; // A second, of 10^18.
const SUPPLY_SPEED = 4n * 10n ** 14n; // 0.0004 of the reward a second, shared by all that is lent.
const BORROW_SPEED = 10n ** 14n;

export const comptroller = {
  name: 'comptroller',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const wbtc = world.deploy('TokenDouble', ['Wrapped BTC', 'WBTC', 8]);
    const comp = world.deploy('TokenDouble', ['Compound', 'COMP', 18]);
    await world.at(SETUP);
    const comptroller = world.deploy('ComptrollerDouble', [comp]);
    // One share is worth a fiftieth of a token at first; shares have 8 decimals.
    const market = (token, decimals) => world.deploy('MarketDouble', [comptroller, token, 2n * 10n ** BigInt(8 + decimals), BORROW_RATE]);
    const [cusdc, cwbtc, cnative] = [market(usdc, 6), market(wbtc, 8), market(NATIVE, 18)];
    const of = (artifact, to) => (from, name, args = [], value = 0n) => world.send(from, to, artifact, name, args, value);
    const owner = of('ComptrollerDouble', comptroller);
    // Prices have 36 decimals less the token's.
    owner('deployer', 'support', [cusdc, 9n * ONE / 10n, 10n ** 30n, SUPPLY_SPEED, BORROW_SPEED]);
    owner('deployer', 'support', [cwbtc, 7n * ONE / 10n, 60_000n * 10n ** 28n, 0n, 0n]);
    owner('deployer', 'support', [cnative, 8n * ONE / 10n, 2_000n * ONE, 0n, 0n]);
    of('TokenDouble', comp)('deployer', 'mint', [comptroller, 10_000_000n * ONE]);
    await world.mine();

    // 1,000 and 3,000 are lent; 500 are owed against 0.1 WBTC; and a little of the native token.
    const give = (who, token, to, amount) => {
      of('TokenDouble', token)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', token)(who, 'approve', [to, ALL]);
      of('MarketDouble', to)(who, 'mint', [amount]);
    };
    give('farmer', usdc, cusdc, 1_000n * USDC);
    give('whale', usdc, cusdc, 3_000n * USDC);
    give('odd', wbtc, cwbtc, 10n ** 7n);
    owner('odd', 'enterMarkets', [[cwbtc, cusdc]]);
    of('MarketDouble', cnative)('dust', 'mintNative', [], 10n ** 12n);
    await world.mine();
    of('MarketDouble', cusdc)('odd', 'borrow', [500n * USDC]);
    const pool = await venusPool(world, usdc, wbtc);
    await world.at(SNAPSHOT);
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { comptroller: { comptroller, cusdc, cnative, comp }, pool, assets: { usdc, wbtc, comp }, seconds: SNAPSHOT - SETUP } };
  },
};

// 1,000 and 3,000 are lent, and 500 are owed against 0.1 WBTC, before two distributors begin: one counts seconds, the other
// ended after ten blocks. The market of WBTC was taken off the list, and what it earns cannot be claimed.
async function venusPool(world, usdc, wbtc) {
  const comptroller = world.deploy('PoolComptrollerDouble');
  const market = (token, decimals) => world.deploy('MarketDouble', [comptroller, token, 2n * 10n ** BigInt(8 + decimals), 0n]);
  const [vusdc, vwbtc] = [market(usdc, 6), market(wbtc, 8)];
  const [xvs, pln] = [world.deploy('TokenDouble', ['Venus', 'XVS', 18]), world.deploy('TokenDouble', ['Partner', 'PLN', 6])];
  const [bySecond, byBlock] = [[xvs, true], [pln, false]].map((args) => world.deploy('PoolRewardsDouble', [comptroller, ...args]));
  const owner = (name, args) => world.send('deployer', comptroller, 'PoolComptrollerDouble', name, args);
  owner('support', [vusdc, 9n * ONE / 10n, 10n ** 30n, 0n, 0n]);
  owner('support', [vwbtc, 7n * ONE / 10n, 60_000n * 10n ** 28n, 0n, 0n]);
  await world.mine();
  for (const [who, token, to, amount] of [['farmer', usdc, vusdc, 1_000n * USDC], ['whale', usdc, vusdc, 3_000n * USDC], ['odd', wbtc, vwbtc, 10n ** 7n]]) {
    world.send('deployer', token, 'TokenDouble', 'mint', [world.accounts[who], amount]);
    world.send(who, token, 'TokenDouble', 'approve', [to, amount]);
    world.send(who, to, 'MarketDouble', 'mint', [amount]);
  }
  world.send('odd', comptroller, 'PoolComptrollerDouble', 'enterMarkets', [[vwbtc]]);
  world.send('odd', vusdc, 'MarketDouble', 'borrow', [500n * USDC]);
  await world.mine();
  for (const [distributor, token, unit, length] of [[bySecond, xvs, ONE, 0n], [byBlock, pln, USDC, 10n]]) {
    owner('addRewardsDistributor', [distributor]);
    world.send('deployer', token, 'TokenDouble', 'mint', [distributor, 10_000_000n * unit]);
    const begin = (market, supply, borrow) => world.send('deployer', distributor, 'PoolRewardsDouble', 'begin', [market, supply, borrow, length]);
    begin(vusdc, 4n * unit / 10_000n, unit / 10_000n);
    begin(vwbtc, unit, 0n);
  }
  await world.pass(20);
  owner('unlistMarket', [vwbtc]);
  await world.mine();
  return { comptroller, bySecond, byBlock, xvs, pln };
}
