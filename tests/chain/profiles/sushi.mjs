// SushiSwap on Ethereum at its real addresses: MasterChef v1 with 30 pools, two of them
// broken, the double of its second chef with rewarders, and the bar.
import { steady, withBonus } from '../lib/chef_models.mjs';
import { Chef, TimedRewarder } from '../lib/chefs.mjs';
import { Lair } from '../lib/farms.mjs';
import { give, newPairs, newToken, register } from '../lib/tokens.mjs';
import { NEW_PERIOD, OLD_PERIOD, SETUP } from './times.mjs';
import { zeroAddress } from 'viem';

const E18 = 10n ** 18n;
const E6 = 10n ** 6n;
const POOLS = 30;
const EMPTY_POOL = 11; // Its token never had code.
const BROKEN_POOL = 17; // Its token burns all gas, since `odd` staked it.
const OVER_POOL = 5; // Has no share of what is paid any more.
const LAST_POOL = POOLS - 1;
const NO_TOKEN = '0x00000000000000000000000000000000000bad11';
const PER_BLOCK = 100n * E18;
const PER_BLOCK_V2 = 13n * E18 + 1n;
const BONUS_BLOCKS = 25;
const STOCK = 500_000_000n * E18;

export const SUSHI_AT = {
  masterChef: '0xc2edad668740f1aa35e4d8f227fb8e17dca888cd',
  masterChefV2: '0xef0881ec094552b2e128cf945ef17a6752b4ec5d',
  sushi: '0x6b3595068778dd592e39a122f4f5a5cf09c90fe2',
  xsushi: '0x8798249c2e607446efb7ad49ec89dd1865ff4272',
};

export function planSushi(world) {
  const story = {};
  world.plan(SETUP, async () => Object.assign(story, await setUp(world)));

  world.plan(OLD_PERIOD, async () => {
    const { v1, v2, bar } = story;
    v1.deposit('whale', 0, 3n * 10n ** 12n + 1n);
    v1.deposit('bystander', 3, 777n * E18);
    v1.deposit('bystander', OVER_POOL, 5n * E18);
    v1.deposit('odd', BROKEN_POOL, 4n * E18);
    v2.deposit('bystander', 0, 10n ** 12n);
    bar.enter('bystander', 4_000_000n * E18);
    await world.pass(7);
    v1.deposit('farmer', 0, 10n ** 12n + 7n);
    v1.deposit('farmer', 3, 222n * E18 + 5n);
    v1.deposit('exited', 3, 40n * E18);
    v1.deposit('dust', LAST_POOL, 1n);
    v1.deposit('bystander', LAST_POOL, 1_000_000n * E18);
    v2.deposit('exited', 1, 2_500n * E18);
    v2.deposit('exited', 2, 30n * E18);
    await world.pass(3);
  });

  world.plan(OLD_PERIOD + 44_444, async () => {
    const { v1, v2, bar, pools } = story;
    await world.replaceCode(pools[BROKEN_POOL].staked.address, '0xfe');
    v1.withdraw('exited', 3, 40n * E18); // Pays at once: nothing is left to claim.
    v2.withdraw('exited', 1, 2_500n * E18); // Pays later, what the chef owes; the rewarder paid at once.
    v2.withdraw('exited', 2, 30n * E18);
    bar.enter('exited', 10n * E18);
    bar.reward(123_456n * E18 + 1n);
    await world.pass(11);
    bar.leave('exited', 10n * E18);
  });

  world.plan(NEW_PERIOD + 2, async () => {
    const { v1, v2, bar } = story;
    v1.deposit('farmer', 0, 3n * 10n ** 11n);
    v1.deposit('farmer', 28, 15n * E18);
    v1.deposit('whale', 28, 1_000_000n * E18);
    v1.deposit('whale', LAST_POOL, 2n * E18 + 1n);
    v2.deposit('farmer', 0, 5n * 10n ** 11n + 3n);
    v2.deposit('farmer', 1, 71n * E18);
    v2.deposit('whale', 1, 9_000n * E18 + 9n);
    v2.deposit('whale', 3, 60n * E18);
    v2.deposit('odd', 4, 17n);
    bar.enter('farmer', 2_000n * E18 + 3n);
    bar.enter('whale', 900_000n * E18);
    await world.pass(9);
  });

  world.plan(NEW_PERIOD + 900_000, async () => {
    const { v2, v1, bar } = story;
    v2.deposit('farmer', 1, 11n);
    v1.withdraw('whale', 28, 250_000n * E18);
    bar.reward(55_555n * E18);
    await world.pass(6);
  });
  return story;
}

async function setUp(world) {
  const { deployer, bystander } = world.accounts;
  await world.place([[SUSHI_AT.sushi, 'SushiToken'], [SUSHI_AT.xsushi, 'SushiBar', [SUSHI_AT.sushi]]]);
  const start = world.next + 3n;
  const bonusEnd = start + BigInt(BONUS_BLOCKS);
  await world.place([
    [SUSHI_AT.masterChef, 'MasterChef', [SUSHI_AT.sushi, bystander, PER_BLOCK, start, bonusEnd]],
    [SUSHI_AT.masterChefV2, 'MasterChefV2Double', [SUSHI_AT.sushi, PER_BLOCK_V2]],
  ]);
  if (world.next > start) throw new Error('MasterChef began before it had pools');
  const sushi = register(world, SUSHI_AT.sushi, { name: 'SushiToken', symbol: 'SUSHI', decimals: 18 }, { mintable: false });
  const xsushi = register(world, SUSHI_AT.xsushi, { name: 'SushiBar', symbol: 'xSUSHI', decimals: 18 }, { mintable: false });
  world.send('deployer', sushi.address, 'TokenDouble', 'mint', [deployer, STOCK]); // Before it becomes the chef's.
  sushi.supply += STOCK;

  const coin = newToken(world, 'Anchor', 'ANC', 6);
  const extra = newToken(world, 'Compass', 'CMP', 8);
  const plain = Array.from({ length: POOLS + 6 }, (_, i) => newToken(world, `Berth ${i}`, `BRT${i}`, 18));
  const factory = world.deploy('UniswapV2Factory', [deployer]);
  const [lp, lpToo] = await newPairs(world, factory, [
    [sushi, 4_000_000n * E18, coin, 5_000_000n * E6],
    [plain[1], 1_000n * E18, sushi, 77_000n * E18],
  ]);

  const v1 = new Chef(world, {
    protocol: 'sushiswap', vaultType: 'sushi-masterchef', artifact: 'MasterChef', address: SUSHI_AT.masterChef, kind: 'v1',
    reward: sushi, pending: 'pendingSushi', claim: 'withdraw', emits: withBonus(PER_BLOCK, bonusEnd),
  });
  const pools = Array.from({ length: POOLS }, (_, pid) => {
    if (pid === EMPTY_POOL) return { staked: { address: NO_TOKEN }, broken: true };
    return { staked: pid === 0 ? lp : pid === 1 ? lpToo : plain[pid], broken: pid === BROKEN_POOL };
  }).map((pool, pid) => {
    const alloc = pid === OVER_POOL ? 0n : BigInt(pid * 7 + 10);
    return { ...pool, alloc, args: [alloc, pool.staked.address, false] };
  });
  v1.addPools('add', pools, start);
  world.send('deployer', sushi.address, 'SushiToken', 'transferOwnership', [v1.address]);
  world.tokens.delete(pools[BROKEN_POOL].staked.address); // It cannot be checked at the end.

  const v2 = new Chef(world, {
    protocol: 'sushiswap', vaultType: 'sushi-masterchef', artifact: 'MasterChefV2Double', address: SUSHI_AT.masterChefV2, kind: 'later', clock: 'block',
    reward: sushi, pending: 'pendingSushi', claim: 'harvest', emits: steady(PER_BLOCK_V2),
  });
  give(world, sushi, v2.address, 1_000_000n * E18);
  addRewardedPools(world, v2, [
    { staked: lp, alloc: 40n },
    { staked: plain[POOLS], alloc: 30n, token: extra, perSecond: 12_345n },
    { staked: plain[POOLS + 1], alloc: 20n, token: coin, perSecond: 3n },
    { staked: plain[POOLS + 2], alloc: 0n, token: extra, perSecond: 999n }, // Only the rewarder pays.
    { staked: plain[POOLS + 3], alloc: 9n },
    { staked: plain[POOLS + 4], alloc: 1n },
  ]);
  const bar = new Lair(world, xsushi, sushi, Lair.SUSHI);
  return { sushi, coin, extra, lp, lpToo, plain, v1, v2, bar, pools };
}

// Rows: { staked, alloc, token, perSecond }, the last two of the pool's rewarder if it has one.
export function addRewardedPools(world, chef, rows) {
  for (const { staked, alloc, token, perSecond } of rows) {
    const pid = chef.pools.length;
    const rewarder = token ? new TimedRewarder(world, chef, pid, token, perSecond) : null;
    chef.addPools('add', [{ staked, alloc, args: [alloc, staked.address, rewarder?.address ?? zeroAddress] }]);
    chef.pools[pid].rewarder = rewarder;
    if (rewarder) give(world, token, rewarder.address, 100_000_000n * 10n ** BigInt(token.decimals));
  }
}
