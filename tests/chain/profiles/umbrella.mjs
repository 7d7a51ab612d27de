// Chain id 1: doubles of Aave's Umbrella and of its safety module. The tests know by arithmetic what its accounts have; see
// tests/tests/e2e/umbrella.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const DAY = 86_400;
const EMISSION = 4n * 10n ** 14n; // A second, with 18 decimals.
const LASTS = 1_000_000; // The second reward's seconds after the others have come.

export const umbrella = {
  name: 'umbrella',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const wrapped = world.deploy('WrappedTokenDouble', [usdc, 'Wrapped aUSDC', 'waUSDC', 6]);
    const [first, second] = [world.deploy('TokenDouble', ['First', 'ONE', 18]), world.deploy('TokenDouble', ['Second', 'TWO', 6])];
    await world.at(SETUP);
    const controller = world.deploy('UmbrellaRewardsDouble');
    const staked = world.deploy('StakedTokenDouble', [controller, wrapped, 'Umbrella staked waUSDC', 'stkwaUSDC']);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const stake = of('StakedTokenDouble', staked);
    const { deployer } = world.accounts;
    of('UmbrellaRewardsDouble', controller)('deployer', 'addAsset', [staked]);
    [[first, OLD_PERIOD * 2], [second, OLD_PERIOD + LASTS]].forEach(([reward, end]) => {
      of('UmbrellaRewardsDouble', controller)('deployer', 'addReward', [staked, reward, EMISSION, end, deployer]);
      of('TokenDouble', reward)('deployer', 'mint', [deployer, 10n ** 30n]);
      of('TokenDouble', reward)('deployer', 'approve', [controller, ALL]);
    });
    const aave = world.deploy('TokenDouble', ['Aave Token', 'AAVE', 18]);
    const safety = world.deploy('SafetyModuleDouble', [aave, deployer, DAY, EMISSION]);
    const module = of('SafetyModuleDouble', safety);
    of('TokenDouble', aave)('deployer', 'mint', [deployer, 10n ** 30n]);
    of('TokenDouble', aave)('deployer', 'approve', [safety, ALL]);
    await world.mine();

    // In the safety module `dust` is alone until it leaves, then `odd`, which is about to leave and loses a fifth at last.
    const put = (who) => {
      of('TokenDouble', aave)('deployer', 'mint', [world.accounts[who], 1_000n * ONE]);
      of('TokenDouble', aave)(who, 'approve', [safety, ALL]);
      module(who, 'stake', [world.accounts[who], 1_000n * ONE]);
    };
    put('dust');
    module('dust', 'cooldown');

    // `exited` is alone until the others come; then 1,000 and 3,000 are staked, of which a tenth is lost at last.
    const give = (who, amount) => {
      of('TokenDouble', wrapped)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', wrapped)(who, 'approve', [staked, ALL]);
      stake(who, 'deposit', [amount]);
    };
    give('exited', 1_000n * USDC);
    await world.at(OLD_PERIOD);
    stake('exited', 'redeemAll');
    module('dust', 'redeem', [world.accounts.dust, ALL]);
    await world.mine();
    put('odd');
    give('farmer', 1_000n * USDC);
    give('whale', 3_000n * USDC);
    stake('whale', 'cooldown', [20 * DAY, 2 * DAY]);
    await world.at(SNAPSHOT - DAY);
    stake('farmer', 'cooldown', [20 * DAY, 2 * DAY]);
    module('odd', 'cooldown');
    await world.at(SNAPSHOT);
    stake('deployer', 'slash', [400n * USDC]);
    module('deployer', 'slash', [deployer, 200n * ONE]);
    const more = { umbrella: { controller, staked }, safety: { staked: safety, aave, unlocksAt: SNAPSHOT }, rewards: { first, second }, alone: OLD_PERIOD - SETUP, seconds: SNAPSHOT - OLD_PERIOD, unlocksAt: SNAPSHOT + 19 * DAY };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more };
  },
};
