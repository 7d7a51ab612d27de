// Chain id 137: QuickSwap at its real addresses. Single farms of the main and the
// deprecated factory, dual farms, both lairs, and farms of odd tokens. And MiniChefs.
import { pad, stringToHex } from 'viem';
import { DualFactory, FarmFactory, Lair } from '../lib/farms.mjs';
import { newOddTokens } from '../lib/odd.mjs';
import { newPairs, newToken, register, wrap } from '../lib/tokens.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { miniChefContracts, miniChefPrices, miniChefSettings, planMiniChefs } from './mini_chefs.mjs';
import { requireChefStory, requireFarmStory } from './story.mjs';
import { FACTORY_GENESIS, NEW_PERIOD, OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';
import { trade } from './trades.mjs';

const E18 = 10n ** 18n;
const E6 = 10n ** 6n;
const PERIOD = 5_184_000n; // Seconds; an amount of n x PERIOD pays n units a second.
const FARMS = 75; // More than one window of 64, and no multiple of a usual one.
const FAR_FARM = 68; // Seen only by who reads a second window.
const LAST_FARM = FARMS - 1;
const BYSTANDERS_FARM = 44;

const AT = {
  multicall3: MULTICALL3,
  pairFactory: '0x5757371414417b8c6caad45baef941abc7d3ab32',
  router: '0xa5e0829caced8ffdd4de3c43696c57f7d7a678ff',
  factory: '0x8aaa5e259f74c8114e0a471d9f2adfc66bfe09ed',
  deprecatedFactory: '0x5eec262b05a57da9beb5fe96a34aa4ed0c5e029f',
  dualFactory: '0x9dd12421c637689c3fc6e661c9e2f02c2f61b3eb',
  dquick: '0x958d208cdf087843e9ad98d23823d32e17d723a1',
  oldDquick: '0xf28164a485b0b2c90639e47b0f377b4a438a16b1',
};
const QUICK = '0xb5c064f955d8e7f38fe0460c556a72987494ee17';
const OLD_QUICK = '0x831753dd7087cac61ab5644b308642cc1c33dc13';
const WMATIC = '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270';
const USDC = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174';

export const polygon = {
  name: 'polygon',
  chainId: 137,
  native: 5n * 10n ** 17n,
  async populate(world) {
    const tokens = await placeAll(world);
    const main = new FarmFactory(world, AT.factory, tokens.quick);
    const deprecated = new FarmFactory(world, AT.deprecatedFactory, tokens.oldQuick);
    const dual = new DualFactory(world, AT.dualFactory);
    const lairs = { fresh: new Lair(world, tokens.dquick, tokens.quick), old: new Lair(world, tokens.oldDquick, tokens.oldQuick) };
    const odd = newOddTokens(world);
    const plain = Array.from({ length: FARMS }, (_, i) => newToken(world, `Plain ${i}`, `PLN${i}`, 18));

    const chefs = planMiniChefs(world);
    await world.at(SETUP);
    wrap(world, tokens.wmatic, 20_000_000n * E18);
    const pairs = await newPairs(world, AT.pairFactory, [
      [tokens.wmatic, 1_000_000n * E18, tokens.quick, 9_000_000n * E18],
      [tokens.usdc, 2_000_000n * E6, tokens.wmatic, 8_000_000n * E18],
      [tokens.quick, 500_000n * E18, tokens.usdc, 12_345n * E6],
      [tokens.oldQuick, 3_000n * E18, tokens.wmatic, 300_000n * E18],
    ]);
    const farms = await deployFarms({ main, deprecated, dual, tokens, pairs, odd, plain });

    await oldPeriod(world, { ...farms, deprecated, dual, main, lairs });
    await newPeriod(world, { ...farms, dual, main, lairs });
    const events = await trade(world, AT, farms.farms[BYSTANDERS_FARM], [farms.farms[FAR_FARM].staked, farms.farms[LAST_FARM].staked]);
    await world.at(SNAPSHOT);
    requireFarmStory(world);
    requireChefStory(world, [chefs.mini, chefs.fork]);
    return {
      contracts: { ...AT, ...miniChefContracts(chefs) },
      prices: { ...prices(tokens, pairs, odd), ...miniChefPrices(chefs) },
      settings: miniChefSettings(chefs),
      more: { events },
    };
  },
};

async function placeAll(world) {
  const token = (name, symbol, decimals) => ['TokenDouble', [name, symbol, decimals]];
  await world.place([
    [AT.multicall3, 'Multicall3'],
    [QUICK, ...token('QuickSwap', 'QUICK', 18)],
    [OLD_QUICK, ...token('Quickswap', 'QUICK', 18)],
    [USDC, ...token('USD Coin (PoS)', 'USDC', 6)],
    [WMATIC, 'WETH9'],
    [AT.pairFactory, 'UniswapV2Factory', [world.accounts.deployer]],
    [AT.router, 'UniswapV2Router02', [AT.pairFactory, WMATIC]],
    [AT.factory, 'StakingRewardsFactory', [QUICK, BigInt(FACTORY_GENESIS)]],
    [AT.deprecatedFactory, 'StakingRewardsFactory', [OLD_QUICK, BigInt(FACTORY_GENESIS)]],
    [AT.dualFactory, 'StakingRewardsDualFactoryDouble', [BigInt(FACTORY_GENESIS)]],
    [AT.dquick, 'DragonLairDouble', [QUICK]],
    [AT.oldDquick, 'DragonLairDouble', [OLD_QUICK]],
  ]);
  // WETH9 keeps its name and symbol in its first two slots.
  await world.store(WMATIC, '0x0', shortText('Wrapped Matic'));
  await world.store(WMATIC, '0x1', shortText('WMATIC'));
  const lairToken = (address) => register(world, address, { name: 'Dragon QUICK', symbol: 'dQUICK', decimals: 18 }, { mintable: false });
  return {
    quick: register(world, QUICK, { name: 'QuickSwap', symbol: 'QUICK', decimals: 18 }),
    oldQuick: register(world, OLD_QUICK, { name: 'Quickswap', symbol: 'QUICK', decimals: 18 }),
    usdc: register(world, USDC, { name: 'USD Coin (PoS)', symbol: 'USDC', decimals: 6 }),
    wmatic: register(world, WMATIC, { name: 'Wrapped Matic', symbol: 'WMATIC', decimals: 18 }, { mintable: false }),
    dquick: lairToken(AT.dquick),
    oldDquick: lairToken(AT.oldDquick),
  };
}

// The order of the rows is the order in which the factories list the farms.
async function deployFarms({ main, deprecated, dual, tokens, pairs, odd, plain }) {
  const { quick, oldQuick, usdc, wmatic } = tokens;
  const [wmaticQuick, usdcWmatic, quickUsdc, oldQuickWmatic] = pairs;
  const spare = plain.values();
  const rows = [
    { staked: wmaticQuick, amount: 1_000_000n * E18 + 1n },
    { staked: usdcWmatic, amount: 777_777n * E18 },
    { staked: quickUsdc, amount: 123_456_789n * 10n ** 16n },
    { staked: spare.next().value, amount: PERIOD }, // One wei a second, for `dust`.
    ...odd.map((staked, i) => ({ staked, amount: PERIOD * 10n ** 15n + BigInt(i) })),
    ...odd.map((reward) => ({ staked: spare.next().value, reward, amount: PERIOD * perSecond(reward) })),
  ];
  while (rows.length < FARMS) rows.push({ staked: spare.next().value, amount: BigInt(rows.length) * 1_000n * E18 });
  const farms = await main.deploy(rows);
  const oldFarms = await deprecated.deploy([
    { staked: oldQuickWmatic, amount: 4_000n * E18 },
    { staked: wmaticQuick, amount: 250n * E18 + 3n },
    { staked: oldQuick, amount: 90_000n * E18 }, // Stake and reward are one token.
  ]);
  const dualFarms = await dual.deploy([
    { staked: usdcWmatic, rewards: [quick, wmatic], amounts: [600_000n * E18, 90_000n * E18 + 5n], duration: 2_592_000n },
    { staked: quickUsdc, rewards: [quick, usdc], amounts: [70_000n * E18, 43_210n * E6], duration: 604_800n },
    // So little of the second token that its rate rounds to 0.
    { staked: spare.next().value, rewards: [quick, odd[0]], amounts: [5_000n * E18, 1_000n], duration: 2_592_000n },
    { staked: spare.next().value, rewards: [oldQuick, quick], amounts: [1n, 1n], duration: 86_400n },
  ]);
  return { farms, oldFarms, dualFarms, odd };
}

function perSecond({ decimals }) {
  if (!decimals) return 10n;
  return decimals > 70 ? 10n ** 38n : 10n ** BigInt(decimals > 10 ? 14 : 4);
}

// All of these are over at the snapshot; what they earned can still be claimed.
async function oldPeriod(world, { farms, oldFarms, dualFarms, main, deprecated, dual, lairs }) {
  await world.at(OLD_PERIOD);
  await main.start([farms[1]]);
  await deprecated.start(oldFarms);
  dual.start([dualFarms[1]]);
  farms[1].stake('whale', 3n * E18);
  oldFarms[2].stake('whale', 60_000n * E18);
  lairs.fresh.enter('bystander', 1_000_000n * E18);
  lairs.old.enter('farmer', 12n * E18);
  lairs.old.enter('exited', 5n * E18);

  await world.at(OLD_PERIOD + 70_001);
  farms[1].stake('farmer', 41_111_111_000_007n);
  farms[1].stake('exited', 99_999_999_000_001n);
  oldFarms[0].stake('farmer', 17n * E18 + 19n);
  oldFarms[0].stake('exited', 2n * E18);
  oldFarms[1].stake('farmer', 3n * E18);
  oldFarms[2].stake('farmer', 10n ** 15n + 1n);
  dualFarms[1].stake('whale', 2n * 10n ** 16n);
  dualFarms[1].stake('exited', 555_555_555_555_555n);
  lairs.fresh.reward(314_159n * E18);
  lairs.old.reward(7n * E18 + 1n);

  await world.at(OLD_PERIOD + 400_009);
  farms[1].withdraw('exited', 99_999_999_000_001n);
  oldFarms[0].withdraw('exited', 2n * E18);
  dualFarms[1].withdraw('exited', 555_555_555_555_555n);
  lairs.old.leave('exited', 5n * E18);
}

// All of these still run at the snapshot.
async function newPeriod(world, { farms, dualFarms, odd, main, dual, lairs }) {
  const oddStaked = farms.slice(4, 4 + odd.length);
  const oddReward = farms.slice(4 + odd.length, 4 + 2 * odd.length);
  const far = farms[FAR_FARM];
  const last = farms[LAST_FARM];

  await world.at(NEW_PERIOD);
  await main.start([farms[0], farms[2], farms[3], ...oddStaked, ...oddReward, far, last, ...farms.slice(40, 50)]);
  dual.start([dualFarms[0], dualFarms[2]]);
  farms[0].stake('farmer', 1_234n * E18 + 567n);
  last.stake('farmer', 1n);
  farms[BYSTANDERS_FARM].stake('bystander', 31_337n * E18);
  lairs.fresh.enter('farmer', 20_000n * E18 + 1n);

  await world.at(NEW_PERIOD + 345_678);
  farms[0].stake('whale', 98_765n * E18);
  farms[2].stake('exited', 7n * 10n ** 15n);
  farms[2].stake('whale', 2n * 10n ** 16n);
  far.stake('farmer', 3n * E18);
  far.stake('whale', 500_000n * E18);
  dualFarms[0].stake('farmer', 5n * 10n ** 15n + 1n);
  dualFarms[0].stake('whale', 4n * 10n ** 17n);
  dualFarms[2].stake('farmer', 42n * E18);
  oddStaked.forEach((farm, i) => farm.stake('odd', oddStake(farm.staked) + BigInt(i)));
  oddReward.forEach((farm, i) => farm.stake('odd', BigInt(i + 1) * E18));
  oddReward.slice(0, 3).forEach((farm) => farm.stake('bystander', E18)); // Three shares, so that roundings show.
  lairs.fresh.enter('whale', 750_000n * E18);

  // dust holds 1 of 1,400,000 wei for 1,500,000 seconds of one wei each: 1 wei.
  await world.at(NEW_PERIOD + 500_000);
  farms[3].stake('bystander', 1_399_999n);
  farms[3].stake('dust', 1n);
  lairs.fresh.enter('dust', 2n);

  await world.at(NEW_PERIOD + 1_111_111);
  farms[2].withdraw('exited', 7n * 10n ** 15n);
  farms[0].stake('farmer', 11n);
  lairs.fresh.reward(271_828n * E18 + 3n);
}

function oddStake({ decimals }) {
  return !decimals ? 17n : 10n ** BigInt(Math.min(decimals, 30)) * 3n;
}

// The other tokens have no price: quickUsdc's shares, plain ones, most odd ones.
function prices({ quick, oldQuick, usdc, wmatic }, [wmaticQuick, usdcWmatic, , oldQuickWmatic], [zero, six, many, bytes32]) {
  return Object.fromEntries([
    [quick, '0.0231'], [oldQuick, '23.1'], [usdc, '0.9998'], [wmatic, '0.221475'],
    [wmaticQuick, '0.1404'], [usdcWmatic, '943210.55'], [oldQuickWmatic, '6.25'],
    [zero, '1.5'], [six, '0.000012'], [many, '4'], [bytes32, '3.333333333333333333'],
  ].map(([token, price]) => [token.address, price]));
}

// A string of at most 31 bytes as Solidity stores it.
function shortText(text) {
  const length = BigInt(text.length * 2);
  return pad(`0x${(BigInt(stringToHex(text, { size: 32 })) + length).toString(16)}`);
}
