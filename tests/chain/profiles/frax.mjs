// Chain id 1: doubles of Frax' unified farms, one with two rewards whose period was over long ago, one whose stakes may all
// leave. The tests know by arithmetic what its accounts have; see tests/tests/e2e/frax.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const DAY = 86_400;
const LONG = 1_095 * DAY; // A stake counts three times.
const HALF = LONG / 2; // It counts twice.
const RATES = [9n * 10n ** 12n, 900n]; // A second.

export const frax = {
  name: 'frax',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const lp = world.deploy('TokenDouble', ['Frax LP', 'FLP', 18]);
    const fxs = world.deploy('TokenDouble', ['Frax Share', 'FXS', 18]);
    const usd = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const farm = world.deploy('FraxUnifiedFarmDouble', [lp, [fxs, usd], RATES]);
    const open = world.deploy('FraxUnifiedFarmDouble', [lp, [fxs], [0n]]);
    const paused = world.deploy('FraxUnifiedFarmDouble', [lp, [fxs], [RATES[0]]]);
    [fxs, usd].forEach((reward) => [farm, paused].forEach((to) => of('TokenDouble', reward)('deployer', 'mint', [to, 10n ** 24n])));
    of('FraxUnifiedFarmDouble', open)('deployer', 'setUnlocked');
    const stake = (who, to, amount, secs) => {
      of('TokenDouble', lp)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', lp)(who, 'approve', [to, ALL]);
      of('FraxUnifiedFarmDouble', to)(who, 'stakeLocked', [amount, BigInt(secs)]);
    };
    stake('farmer', farm, 5n * ONE, 1);
    stake('exited', farm, 5n * ONE, 1);
    await world.at(OLD_PERIOD);
    ['farmer', 'exited'].forEach((who) => of('FraxUnifiedFarmDouble', farm)(who, 'withdrawFirst'));
    await world.mine();
    const staked = SNAPSHOT - 9_000_000;
    await world.at(staked);
    stake('farmer', farm, 60n * ONE, LONG);
    stake('farmer', farm, 40n * ONE, LONG);
    stake('whale', farm, 300n * ONE, HALF);
    stake('odd', open, 7n * ONE, LONG);
    stake('dust', paused, 1n, LONG);
    of('FraxUnifiedFarmDouble', paused)('deployer', 'setPaused');
    await world.at(SNAPSHOT);
    const contracts = { lp, fxs, usd, farm, open, paused };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { frax: contracts, ends: { long: staked + LONG, half: staked + HALF } } };
  },
};
