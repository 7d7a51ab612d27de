// Chain id 1: a double of Liquity v1. The tests know by arithmetic what its accounts have; see tests/tests/e2e/troves.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;

export const troves = {
  name: 'troves',
  chainId: 1,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const lusd = world.deploy('TokenDouble', ['LUSD Stablecoin', 'LUSD', 18]);
    const lqty = world.deploy('TokenDouble', ['LQTY', 'LQTY', 18]);
    const feed = world.deploy('PriceFeedDouble');
    const manager = world.deploy('TroveManagerDouble', [lusd]);
    const pool = world.deploy('StabilityPoolDouble', [lusd, lqty]);
    const staking = world.deploy('LQTYStakingDouble', [lusd, lqty]);
    const surplus = world.deploy('CollSurplusPoolDouble');
    const operations = world.deploy('BorrowerOperationsDouble', [surplus]);
    await world.at(SETUP);

    const of = (artifact, to) => (from, name, args = [], value = 0n) => world.send(from, to, artifact, name, args, value);
    const [trove, deposit, stake] = [of('TroveManagerDouble', manager), of('StabilityPoolDouble', pool), of('LQTYStakingDouble', staking)];
    trove('deployer', 'setAddresses', [feed, pool, lqty, staking, operations]);
    of('PriceFeedDouble', feed)('deployer', 'set', [2_200n * ONE]);
    trove('farmer', 'open', [9_800n * ONE], 10n * ONE);
    trove('exited', 'open', [1_800n * ONE], 5n * ONE);
    trove('exited', 'close');

    // Deposits of 300, 100 and nothing; 40 of the reward; then a quarter is paid for 0.05.
    const token = of('TokenDouble', lusd);
    token('deployer', 'mint', [world.accounts.whale, 100n * ONE]);
    of('TokenDouble', lqty)('deployer', 'mint', [pool, 40n * ONE]);
    for (const [who, amount] of [['farmer', 300n], ['whale', 100n]]) {
      token(who, 'approve', [pool, ALL]);
      deposit(who, 'provideToSP', [amount * ONE]);
    }
    await world.mine();
    deposit('deployer', 'issue', [40n * ONE]);
    deposit('deployer', 'offset', [100n * ONE], ONE / 20n);
    await world.mine();
    // One whose deposit came later has gained nothing.
    token('deployer', 'mint', [world.accounts.odd, 7n * ONE]);
    token('odd', 'approve', [pool, ALL]);
    deposit('odd', 'provideToSP', [7n * ONE]);

    // Stakes of 8 and of one smallest unit; the fees are 4 and 16, and one smallest unit for that one.
    for (const [who, amount] of [['farmer', 8n * ONE], ['dust', 1n]]) {
      of('TokenDouble', lqty)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', lqty)(who, 'approve', [staking, ALL]);
      stake(who, 'stake', [amount]);
    }
    token('deployer', 'mint', [staking, 20n * ONE]);
    await world.mine();
    stake('deployer', 'increase', [16n * ONE + 2n], 8n * ONE + 1n);
    of('CollSurplusPoolDouble', surplus)('deployer', 'accountSurplus', [world.accounts.exited], 3n * ONE);
    await world.at(SNAPSHOT);

    const keys = {
      trove_manager: manager, price_feed: feed, stability_pool: pool, debt_token: lusd, reward_token: lqty, staking,
      surplus_pool: surplus, borrower_operations: operations,
    };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { liquity: keys, assets: { lusd, lqty } } };
  },
};
