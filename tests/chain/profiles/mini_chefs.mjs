// Two chefs that pay by time on Polygon: the double of SushiSwap's MiniChef at its real
// address, with rewarders; and Pangolin's real one, a fork with other names, with its
// rewarder that multiplies what the chef pays.
import { zeroAddress } from 'viem';
import { steady, until } from '../lib/chef_models.mjs';
import { Chef, MultiplyingRewarder } from '../lib/chefs.mjs';
import { give, newToken, register } from '../lib/tokens.mjs';
import { addRewardedPools } from './sushi.mjs';
import { NEW_PERIOD, OLD_PERIOD, SETUP } from './times.mjs';

const E18 = 10n ** 18n;
const MINI_CHEF = '0x0769fd68dfb93167989c6f7254cd0d766fb2841f';
const SUSHI = '0x0b3f868e0be5597d5db7feb59e1cadbb0fdda50a';
const PER_SECOND = 4n * 10n ** 16n + 3n;
const FORK_FUNDS = 1_000_000n * E18;
const FORK_SECONDS = 17_000_001n; // Beyond the snapshot.
const FORK_RATE = FORK_FUNDS / FORK_SECONDS;

export function planMiniChefs(world) {
  const story = {};
  world.plan(SETUP, async () => Object.assign(story, await setUp(world)));

  world.plan(OLD_PERIOD + 5, () => {
    const { mini, fork } = story;
    mini.deposit('bystander', 0, 10_000n * E18);
    mini.deposit('exited', 0, 25n * E18);
    mini.deposit('exited', 1, 3n * E18);
    mini.deposit('whale', 1, 800_000n * E18 + 1n);
    fork.deposit('whale', 0, 5_000n * E18);
    fork.deposit('exited', 1, 7n * E18);
  });

  world.plan(OLD_PERIOD + 250_003, () => {
    const { mini, fork } = story;
    mini.withdraw('exited', 0, 25n * E18);
    mini.withdraw('exited', 1, 3n * E18);
    mini.deposit('farmer', 0, 1_000n * E18 + 13n);
    mini.deposit('farmer', 1, 31n * E18);
    fork.withdraw('exited', 1, 7n * E18);
    fork.deposit('farmer', 0, 123n * E18 + 4n);
  });

  world.plan(NEW_PERIOD + 77, () => {
    const { mini, fork } = story;
    mini.deposit('farmer', 0, 2n * E18);
    mini.deposit('farmer', 3, 5n);
    mini.deposit('whale', 2, 10n ** 12n);
    mini.deposit('dust', 2, 1n);
    fork.deposit('farmer', 2, 9n * E18);
    fork.deposit('bystander', 2, 17n * E18);
  });
  return story;
}

async function setUp(world) {
  await world.place([[SUSHI, 'TokenDouble', ['SushiToken', 'SUSHI', 18]], [MINI_CHEF, 'MiniChefV2Double', [SUSHI, PER_SECOND]]]);
  const sushi = register(world, SUSHI, { name: 'SushiToken', symbol: 'SUSHI', decimals: 18 });
  const extra = newToken(world, 'Sextant', 'SXT', 18);
  const png = newToken(world, 'Pangolin', 'PNG', 18);
  const bonus = newToken(world, 'Barnacle', 'BRN', 6);
  const plain = Array.from({ length: 8 }, (_, i) => newToken(world, `Quay ${i}`, `QUAY${i}`, 18));

  const mini = new Chef(world, {
    protocol: 'sushiswap', vaultType: 'sushi-minichefV2', artifact: 'MiniChefV2Double', address: MINI_CHEF, kind: 'later', clock: 'time',
    reward: sushi, pending: 'pendingSushi', claim: 'harvest', emits: steady(PER_SECOND), perSecond: PER_SECOND,
  });
  give(world, sushi, mini.address, 10_000_000n * E18);
  addRewardedPools(world, mini, [
    { staked: plain[0], alloc: 100n },
    { staked: plain[1], alloc: 55n, token: extra, perSecond: 6n * 10n ** 15n + 1n },
    { staked: plain[2], alloc: 7n },
    { staked: plain[3], alloc: 0n },
    { staked: plain[4], alloc: 1n },
  ]);

  const address = world.deploy('MiniChefV2', [png.address, world.accounts.deployer]);
  const fork = new Chef(world, {
    protocol: 'pangolin', vaultType: 'sushi-minichefV2', artifact: 'MiniChefV2', address, kind: 'later', clock: 'time',
    reward: png, pending: 'pendingReward', claim: 'harvest', emits: until(FORK_RATE, world.now + FORK_SECONDS), perSecond: FORK_RATE,
  });
  const rewarder = new MultiplyingRewarder(world, fork, bonus, 250_000n); // A quarter of a unit for each PNG.
  give(world, bonus, rewarder.address, 10n ** 15n);
  fork.addPools('addPool', [[plain[5], 60n, null], [plain[6], 30n, null], [plain[7], 10n, rewarder]].map(([staked, alloc, paid]) =>
    ({ staked, alloc, args: [alloc, staked.address, paid?.address ?? zeroAddress] })));
  fork.pools[2].rewarder = rewarder;
  give(world, png, 'deployer', FORK_FUNDS);
  world.send('deployer', png.address, 'TokenDouble', 'approve', [address, FORK_FUNDS]);
  world.send('deployer', address, 'MiniChefV2', 'fundRewards', [FORK_FUNDS, FORK_SECONDS]);
  return { sushi, extra, png, bonus, plain, mini, fork };
}

export function miniChefContracts({ mini, fork }) {
  return { miniChef: mini.address, forkedMiniChef: fork.address };
}

export function miniChefPrices({ sushi, extra, png, plain }) {
  return { [sushi.address]: '0.7502', [extra.address]: '2.25', [png.address]: '0.1875', [plain[0].address]: '3.5', [plain[5].address]: '0.8' };
}

export function miniChefSettings({ mini, fork }) {
  return {
    sushiswap: {
      protocol: [{ slug: 'pangolin', name: 'PANGOLIN', website: 'https://pangolin.exchange', primitives: ['POOLING', 'FARMING'], company: { name: 'Pangolin', slug: 'pangolin' } }],
      deployment: [
        { protocol: 'sushiswap', network: 'polygon', market: 'mini-chef', kind: 'mini-chef', chef: mini.address },
        { protocol: 'pangolin', network: 'polygon', kind: 'mini-chef', chef: fork.address, pending: fork.pending, claim: fork.claim },
      ],
    },
  };
}
