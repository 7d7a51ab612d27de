// Chain id 250: forks of MasterChef, Aave v3 and StakingRewards that no plugin ships, at
// ordinary addresses. What a plugin needs to know of them is in `settings`.
import { steady } from '../lib/chef_models.mjs';
import { Chef } from '../lib/chefs.mjs';
import { LoneFarm } from '../lib/farms.mjs';
import { newToken } from '../lib/tokens.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { lendingPrices } from './ethereum.mjs';
import { lendingContracts, planLending } from './lending.mjs';
import { requireChefStory, requireLendingStory } from './story.mjs';
import { NEW_PERIOD, OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const E18 = 10n ** 18n;
const PER_BLOCK = 7n * E18 + 1n;
const SLUGS = { chef: 'harbourswap', lending: 'harbour_lend', farms: 'harbour_farms' };

export const fantom = {
  name: 'fantom',
  chainId: 250,
  native: 11n * 10n ** 17n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const chef = planChef(world);
    const farms = planFarms(world);
    const lent = planLending(world, { protocol: SLUGS.lending, title: 'Harbour Market', times: 7n, makeTokens: () => newTokens(world) });
    await world.at(SNAPSHOT);
    requireChefStory(world, [chef.chef]);
    requireLendingStory(world, lent);
    const contracts = { multicall3: MULTICALL3, masterChef: chef.chef.address, farms: farms.farms.map(({ address }) => address), ...lendingContracts(lent) };
    const { boo, plain } = chef;
    const prices = { [boo.address]: '0.91', [plain[0].address]: '2.75', [farms.reward.address]: '0.015', [farms.staked.address]: '0.5' };
    return {
      contracts,
      prices: { ...prices, ...lendingPrices(lent, ['2498.5', '1.0002', '104000.25', '0.995', '0.07', '3.75']) },
      settings: settings(contracts),
    };
  },
};

function planChef(world) {
  const story = {};
  world.plan(SETUP, async () => {
    const boo = newToken(world, 'Harbour Token', 'HBT', 18);
    const plain = Array.from({ length: 6 }, (_, i) => newToken(world, `Mooring ${i}`, `MRG${i}`, 18));
    const start = world.next + 2n;
    const address = world.deploy('MasterChefFork', [boo.address, world.accounts.bystander, PER_BLOCK, start, start]);
    const chef = new Chef(world, {
      protocol: SLUGS.chef, vaultType: 'sushi-masterchef', artifact: 'MasterChefFork', address, kind: 'v1',
      reward: boo, pending: 'pendingBOO', claim: 'deposit', emits: steady(PER_BLOCK),
    });
    chef.addPools('add', plain.map((staked, i) => ({ staked, alloc: BigInt(60 - 9 * i), args: [BigInt(60 - 9 * i), staked.address, false] })), start);
    Object.assign(story, { boo, plain, chef });
    await world.mine();
    if (world.next > start) throw new Error('the chef began before it had pools');
  });
  world.plan(OLD_PERIOD, async () => {
    const { chef } = story;
    chef.deposit('whale', 0, 40_000n * E18 + 3n);
    chef.deposit('bystander', 5, 3n * E18);
    chef.deposit('exited', 1, 2n * E18);
    await world.pass(8);
    chef.deposit('farmer', 0, 1_111n * E18);
    chef.deposit('odd', 5, 10n ** 15n + 1n);
    chef.withdraw('exited', 1, 2n * E18);
    await world.pass(5);
  });
  world.plan(NEW_PERIOD + 20, async () => {
    story.chef.deposit('farmer', 4, 6n * E18);
    await world.pass(12);
  });
  return story;
}

// One that runs at the snapshot, one that is over.
function planFarms(world) {
  const story = {};
  world.plan(SETUP, () => {
    const reward = newToken(world, 'Jetty', 'JTY', 18);
    const staked = newToken(world, 'Hull', 'HULL', 18);
    const farms = [new LoneFarm(world, staked, reward, SLUGS.farms), new LoneFarm(world, reward, reward, SLUGS.farms)];
    Object.assign(story, { reward, staked, farms });
  });
  world.plan(OLD_PERIOD, () => {
    const [, over] = story.farms;
    over.start(5_184_000n * 10n ** 15n);
    over.stake('farmer', 50n * E18);
    over.stake('exited', 31n * E18);
  });
  world.plan(OLD_PERIOD + 1_000_000, () => story.farms[1].withdraw('exited', 31n * E18));
  world.plan(NEW_PERIOD, () => {
    const [running] = story.farms;
    running.start(9_999_999n * E18);
    running.stake('whale', 12_345n * E18);
    running.stake('farmer', 67n * E18 + 1n);
  });
  return story;
}

async function newTokens(world) {
  return {
    ether: newToken(world, 'Harbour Ether', 'HETH', 18),
    coin: newToken(world, 'Harbour Dollar', 'HUSD', 6),
    gold: newToken(world, 'Harbour Gold', 'HBTC', 8),
    plain: newToken(world, 'Harbour Plain', 'HPLN', 18),
  };
}

function settings({ masterChef, farms, pool, dataProvider, rewardsController }) {
  const row = (slug, name, primitives) => ({ slug, name, website: 'https://harbour.example', primitives, company: { name: 'Harbour', slug: 'harbour' } });
  const of = (protocol, keys) => ({ protocol, network: 'fantom', ...keys });
  return {
    sushiswap: {
      protocol: [row(SLUGS.chef, 'HARBOURSWAP', ['POOLING', 'FARMING'])],
      deployment: [of(SLUGS.chef, { kind: 'master-chef-v1', chef: masterChef, pending: 'pendingBOO', claim: 'deposit' })],
    },
    'aave-v3': {
      protocol: [row(SLUGS.lending, 'HARBOUR_LEND', ['LENDING', 'BORROWING'])],
      deployment: [of(SLUGS.lending, { pool, data_provider: dataProvider, rewards_controller: rewardsController })],
    },
    quickswap: {
      protocol: [row(SLUGS.farms, 'HARBOUR_FARMS', ['FARMING'])],
      deployment: [of(SLUGS.farms, { farms })],
    },
  };
}
