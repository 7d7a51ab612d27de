// Chain id 1: Synthetix' escrow of rewards with its storage and resolver, and doubles of Karak's vaults and supervisors. The
// tests know by arithmetic what its accounts have; see tests/tests/e2e/escrows.rs.
import { stringToHex } from 'viem';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const DAY = 86_400;
const MANY = 70; // More entries than one claim pays.

export const escrows = {
  name: 'escrows',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const snx = world.deploy('TokenDouble', ['Synthetix Network Token', 'SNX', 18]);
    await world.at(SETUP);
    const escrow = await rewardEscrow(world, snx);
    const { karak, wsteth, usdc } = await restaking(world);
    await world.at(SNAPSHOT);
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { escrow, karak, assets: { snx, wsteth, usdc }, day: DAY } };
  },
};

// Of the farmer's entries, 4 are of the frozen escrow, 7 were paid, 10 end with the snapshot and 20 a second later. The
// whale's are many. All that the exited account had was paid.
async function rewardEscrow(world, snx) {
  const { deployer, farmer, whale, exited } = world.accounts;
  const frozen = world.deploy('FrozenEscrowDouble', [farmer, BigInt(SETUP), 4n * ONE]);
  const resolver = world.deploy('AddressResolver', [deployer]);
  const escrow = world.deploy('RewardEscrowV2', [deployer, resolver]);
  const storage = world.deploy('RewardEscrowV2Storage', [deployer, escrow]);
  const names = { Synthetix: snx, RewardEscrowV2Storage: storage, FeePool: deployer, Issuer: deployer, SynthetixBridgeToOptimism: deployer };
  const keys = Object.keys(names).map((name) => stringToHex(name, { size: 32 }));
  world.send('deployer', resolver, 'AddressResolver', 'importAddresses', [keys, Object.values(names)]);
  const own = (name, args) => world.send('deployer', escrow, 'RewardEscrowV2', name, args);
  own('rebuildCache', []);
  own('setPermittedEscrowCreator', [deployer, true]);
  world.send('deployer', storage, 'RewardEscrowV2Storage', 'setFallbackRewardEscrow', [frozen]);
  [[escrow, 4n], [deployer, 1_000n]].forEach(([to, amount]) => world.send('deployer', snx, 'TokenDouble', 'mint', [to, amount * ONE]));
  world.send('deployer', snx, 'TokenDouble', 'approve', [escrow, ALL]);
  const create = (to, amount, end) => own('createEscrowEntry', [to, amount * ONE, BigInt(end - SETUP)]);
  create(farmer, 7n, SETUP + 1_000); // 2
  create(farmer, 10n, SNAPSHOT); // 3
  create(farmer, 20n, SNAPSHOT + 1); // 4
  create(exited, 5n, SETUP + 1_000); // 5
  for (let i = 0; i < MANY; i++) create(whale, 2n, SNAPSHOT - DAY); // 6 to 75
  create(whale, 3n, SNAPSHOT + 365 * DAY); // 76
  world.plan(SETUP + 2_000, () => {
    world.send('farmer', escrow, 'RewardEscrowV2', 'vest', [[2n]]);
    world.send('exited', escrow, 'RewardEscrowV2', 'vest', [[5n]]);
  });
  return escrow;
}

// A share of the second vault is worth two. The farmer has finished one withdrawal; of its others one of two vaults has
// waited, one has not; the whale's ends with the snapshot.
async function restaking(world) {
  const [wsteth, usdc] = ['wstETH', 'USDC'].map((name) => world.deploy('TokenDouble', [`Token ${name}`, name, 18]));
  const supervisor = world.deploy('VaultSupervisorDouble');
  const queue = world.deploy('DelegationSupervisorDouble', [supervisor, BigInt(7 * DAY)]);
  const owner = (name, args) => world.send('deployer', supervisor, 'VaultSupervisorDouble', name, args);
  owner('setDelegationSupervisor', [queue]);
  [wsteth, usdc].forEach((token) => owner('deployVault', [token]));
  await world.mine();
  const vaults = (await world.view(supervisor, 'VaultSupervisorDouble', 'getVaults')).map((vault) => vault.toLowerCase());
  const deposit = (who, place, amount) => {
    const token = [wsteth, usdc][place];
    world.send('deployer', token, 'TokenDouble', 'mint', [world.accounts[who], amount * ONE]);
    world.send(who, token, 'TokenDouble', 'approve', [vaults[place], ALL]);
    world.send(who, supervisor, 'VaultSupervisorDouble', 'deposit', [vaults[place], amount * ONE]);
  };
  [['farmer', 0, 10n], ['farmer', 1, 6n], ['whale', 1, 6n], ['exited', 0, 5n]].forEach((row) => deposit(...row));
  world.send('deployer', usdc, 'TokenDouble', 'mint', [vaults[1], 12n * ONE]);
  const start = (who, shares) => {
    const places = [0, 1].filter((place) => shares[place] > 0n);
    const request = { vaults: places.map((place) => vaults[place]), shares: places.map((place) => shares[place] * ONE), withdrawer: world.accounts[who] };
    world.send(who, queue, 'DelegationSupervisorDouble', 'startWithdraw', [[request]]);
  };
  const finish = async (who) => {
    const [first] = await world.view(queue, 'DelegationSupervisorDouble', 'fetchQueuedWithdrawals', [world.accounts[who]]);
    world.send(who, queue, 'DelegationSupervisorDouble', 'finishWithdraw', [[first]]);
  };
  start('farmer', [2n, 0n]);
  start('exited', [5n, 0n]);
  world.plan(SETUP + 8 * DAY, async () => {
    await finish('farmer');
    await finish('exited');
    start('farmer', [1n, 2n]);
  });
  world.plan(SNAPSHOT - 7 * DAY, () => start('whale', [0n, 1n]));
  world.plan(SNAPSHOT - DAY, () => start('farmer', [3n, 0n]));
  return { karak: { supervisor, queue, vaults }, wsteth, usdc };
}
