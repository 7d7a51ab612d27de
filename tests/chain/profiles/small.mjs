// A chain with one ordinarily deployed factory and three farms. The same contracts
// stand at the same addresses on every chain made from this; only amounts differ, so
// that an answer of the wrong network shows.
import { FarmFactory } from '../lib/farms.mjs';
import { newPairs, newToken } from '../lib/tokens.mjs';
import { FACTORY_GENESIS, NEW_PERIOD, OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const E18 = 10n ** 18n;

// `times` multiplies rewards and stakes unevenly; `prices` are those of [reward, coin, lp].
export async function populateSmall(world, { times, prices }) {
  const reward = newToken(world, 'Harbour', 'HRB', 18);
  const coin = newToken(world, 'Coin', 'COIN', 6);
  const plain = newToken(world, 'Plain', 'PLN', 18);
  const pairFactory = world.deploy('UniswapV2Factory', [world.accounts.deployer]);
  const address = world.deploy('StakingRewardsFactory', [reward.address, BigInt(FACTORY_GENESIS)]);
  await world.at(SETUP);
  const [lp] = await newPairs(world, pairFactory, [[reward, times * 40_000n * E18, coin, times * 90_000n * 10n ** 6n]]);
  const factory = new FarmFactory(world, address, reward);
  const [running, finished, lonely] = await factory.deploy([
    { staked: lp, amount: times * 86_400n * E18 + 77n },
    { staked: coin, amount: times * 5_555_555n * E18 },
    { staked: plain, amount: 12_345n * E18 },
  ]);

  await world.at(OLD_PERIOD);
  await factory.start([finished]);
  finished.stake('whale', times * 4_000n * 10n ** 6n);
  await world.at(OLD_PERIOD + 11_117);
  finished.stake('exited', 1_700n * 10n ** 6n + times);
  finished.stake('farmer', 333_333_333n);
  await world.at(OLD_PERIOD + 2_000_003);
  finished.withdraw('exited', 1_700n * 10n ** 6n + times);

  await world.at(NEW_PERIOD);
  await factory.start([running, lonely]);
  running.stake('farmer', times * 7n * 10n ** 15n + 1n);
  await world.at(NEW_PERIOD + 501_001);
  running.stake('whale', times * 11n * 10n ** 15n);
  await world.at(NEW_PERIOD + 777_777);
  running.stake('farmer', 3n * 10n ** 15n);
  await world.at(SNAPSHOT);

  return {
    contracts: { factory: address, pairFactory },
    prices: { [reward.address]: prices[0], [coin.address]: prices[1], [lp.address]: prices[2] },
  };
}
