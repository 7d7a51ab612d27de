// Chain id 1: streams of Sablier's Lockup of versions 1.2 and 4, and doubles of Hedgey's plans, of LlamaPay's vesting
// escrows, of Merkl's distributor and of Votium's stash. The tests know by arithmetic what its accounts have; see
// tests/tests/e2e/vesting.rs and stash.rs.
import { getAddress } from 'viem';
import { airdrop, rewards } from '../lib/merkle.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const MILLION_S = 1_000_000;
const FEE = 7n * 10n ** 14n; // Wei, of a withdrawal from the later version.

export const vesting = {
  name: 'vesting',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const grant = world.deploy('TokenDouble', ['Grant', 'GRT', 18]);
    const hidden = world.deploy('TokenDouble', ['Hidden', 'HID', 18]);
    await world.at(SETUP);
    const own = (token, spender, amount) => {
      world.send('deployer', token, 'TokenDouble', 'mint', [world.accounts.deployer, amount]);
      world.send('deployer', token, 'TokenDouble', 'approve', [spender, ALL]);
    };
    const streams = lockups(world, usdc, own);
    const plans = tokenPlans(world, grant, own);
    const escrows = await vestingEscrows(world, grant, own);
    const { contracts, documents } = await merkl(world, { usdc, grant, hidden });
    const paused = world.deploy('TokenDouble', ['Paused', 'PSD', 18]);
    const assets = { usdc, grant, hidden, paused };
    const stash = await votium(world, assets);
    await world.at(SNAPSHOT);
    const more = { streams, plans, escrows, merkl: contracts, documents, stash, assets, fee: FEE.toString() };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more };
  },
};

// A quarter of the farmer's stream is over at the snapshot in either version, and 100 of the later one's was withdrawn.
// The whale's has a cliff before it; the exited one's has been over for long; the odd one's was cancelled halfway.
function lockups(world, usdc, own) {
  const { deployer } = world.accounts;
  const comptroller = world.deploy('SablierComptrollerDouble', [FEE]);
  const libraries = Object.fromEntries(['LockupHelpers', 'LockupMath'].map((name) => [name, world.deploy(name)]));
  const lockup = world.deploy('SablierLockup', [comptroller, deployer], libraries);
  const old = world.deploy('SablierV2LockupLinear', [deployer, deployer]);
  [lockup, old].forEach((to) => own(usdc, to, 10_000n * USDC));
  const create = (to, depositAmount, [start, cliffTime, end], cancelable = false) => world.send('deployer', lockup, 'SablierLockup', 'createWithTimestampsLL', [
    { sender: deployer, recipient: world.accounts[to], depositAmount, token: usdc, cancelable, transferable: true, timestamps: { start, end }, shape: 'linear' },
    { start: 0n, cliff: 0n }, 1, cliffTime,
  ]);
  create('farmer', 1_000n * USDC, [SNAPSHOT - 2.5 * MILLION_S, 0, SNAPSHOT + 7.5 * MILLION_S]);
  create('whale', 3n * USDC, [SNAPSHOT - MILLION_S, SNAPSHOT + MILLION_S, SNAPSHOT + 2 * MILLION_S]);
  create('exited', 8n * USDC, [SETUP, 0, SETUP + 1_000]);
  create('odd', 400n * USDC, [SETUP, 0, SETUP + 20_000], true);
  world.send('deployer', old, 'SablierV2LockupLinear', 'createWithTimestamps', [{
    sender: deployer, recipient: world.accounts.farmer, totalAmount: 400n * USDC, asset: usdc, cancelable: false, transferable: true,
    timestamps: { start: SNAPSHOT - MILLION_S, cliff: 0, end: SNAPSHOT + 3 * MILLION_S }, broker: { account: deployer, fee: 0n },
  }]);
  world.plan(SETUP + 10_000, () => world.send('deployer', lockup, 'SablierLockup', 'cancel', [4n]));
  world.plan(SNAPSHOT - MILLION_S, () => world.send('farmer', lockup, 'SablierLockup', 'withdraw', [1n, world.accounts.farmer, 100n * USDC], FEE));
  return { lockup, old };
}

// Of the farmer's plan half of all periods are over, the whale's waits for its cliff, the exited one's is over.
function tokenPlans(world, grant, own) {
  const plans = world.deploy('TokenPlansDouble');
  own(grant, plans, 10_000n * ONE);
  const create = (to, amount, [start, cliff], rate, period) =>
    world.send('deployer', plans, 'TokenPlansDouble', 'createPlan', [world.accounts[to], grant, amount, start, cliff, rate, period]);
  create('farmer', 1_000n * ONE, [SNAPSHOT - MILLION_S, SNAPSHOT - MILLION_S], ONE, 2_000);
  create('whale', 10n * ONE, [SNAPSHOT - MILLION_S / 2, SNAPSHOT + MILLION_S / 10], ONE, MILLION_S / 10);
  create('exited', 5n * ONE, [SNAPSHOT - MILLION_S, 0], 5n * ONE, 1_000);
  return plans;
}

// A quarter of the farmer's escrow has vested, of which it has claimed nothing; the whale's waits for its cliff; half of
// the odd one's had vested when it was revoked.
async function vestingEscrows(world, grant, own) {
  const factory = world.deploy('EscrowFactoryDouble');
  own(grant, factory, 10_000n * ONE);
  const create = (to, amount, duration, start, cliff) =>
    world.send('deployer', factory, 'EscrowFactoryDouble', 'deploy_vesting_contract', [grant, world.accounts[to], amount, duration, start, cliff]);
  create('farmer', 80n * ONE, 4 * MILLION_S, SNAPSHOT - MILLION_S, 0);
  create('whale', 6n * ONE, 3 * MILLION_S, SNAPSHOT - MILLION_S, 1.5 * MILLION_S);
  create('odd', 4n * ONE, 20_000, SETUP, 0);
  await world.mine();
  const revoked = await world.view(factory, 'EscrowFactoryDouble', 'escrows', [2n]);
  world.plan(SETUP + 10_000, () => world.send('deployer', revoked, 'VestingEscrowDouble', 'revoke', []));
  const first = await world.view(factory, 'EscrowFactoryDouble', 'escrows', [0n]);
  const second = await world.view(factory, 'EscrowFactoryDouble', 'escrows', [1n]);
  return { factory, farmer: first.toLowerCase(), whale: second.toLowerCase() };
}

// The farmer has claimed what an earlier root had; the odd one's token is on no list, the dust one's is paid elsewhere.
async function merkl(world, { usdc, grant, hidden }) {
  const distributor = world.deploy('MerklDistributorDouble');
  const creator = world.deploy('MerklCreatorDouble');
  const { farmer, whale, odd, dust, exited, bystander } = world.accounts;
  [usdc, grant].forEach((token, i) => world.send('deployer', creator, 'MerklCreatorDouble', 'setRewardToken', [token, BigInt(i + 1)]));
  [usdc, grant, hidden].forEach((token) => world.send('deployer', token, 'TokenDouble', 'mint', [distributor, 10_000n * ONE]));
  const update = (tree) => world.send('deployer', distributor, 'MerklDistributorDouble', 'updateTree', [tree.root]);
  const claim = (who, tree) => {
    const of = tree.rows.filter(({ account }) => account === world.accounts[who]);
    world.send(who, distributor, 'MerklDistributorDouble', 'claim', [
      of.map(({ account }) => account), of.map(({ token }) => token), of.map(({ amount }) => amount), of.map(({ proof }) => proof),
    ]);
  };
  const earlier = rewards([[farmer, usdc, 200n * USDC], [exited, usdc, 9n * USDC]]);
  update(earlier);
  await world.mine();
  ['farmer', 'exited'].forEach((who) => claim(who, earlier));
  const later = rewards([
    [farmer, usdc, 500n * USDC], [exited, usdc, 9n * USDC], [farmer, grant, 70n * ONE], [whale, grant, 3n],
    [odd, hidden, 6n * ONE], [dust, usdc, 1n],
  ]);
  update(later);
  world.send('dust', distributor, 'MerklDistributorDouble', 'setClaimRecipient', [bystander, usdc]);
  await world.mine();
  return { contracts: { distributor, creator }, documents: Object.fromEntries(Object.entries(world.accounts).map(([who, account]) => [who, document(later, account)])) };
}

// As Merkl's API has it, with the members that are read and some that are not.
function document({ rows }, account) {
  const own = rows.filter((row) => row.account === account).map(({ token, amount, proof }) => ({
    recipient: account, amount: amount.toString(), claimed: '0', pending: '12', proofs: proof, token: { address: token, chainId: 1, decimals: 18 },
  }));
  return own.length > 0 ? [{ chain: { id: 1, name: 'Ethereum' }, rewards: own }] : [];
}

// The exited one has claimed; the grant's root is its second; that of the paused token was taken away. The row of settings
// does not list the hidden token.
async function votium(world, { usdc, grant, hidden, paused }) {
  const address = world.deploy('MerkleStashDouble');
  const { farmer, whale, odd, dust, exited } = world.accounts;
  const update = (token, root) => world.send('deployer', address, 'MerkleStashDouble', 'updateMerkleRoot', [token, root]);
  const drop = (token, rows) => {
    const tree = airdrop(rows);
    world.send('deployer', token, 'TokenDouble', 'mint', [address, 10_000n * ONE]);
    update(token, tree.root);
    return tree;
  };
  const claim = (who, token, { index, amount, proof }) =>
    world.send(who, address, 'MerkleStashDouble', 'claim', [token, BigInt(index), world.accounts[who], BigInt(amount), proof]);
  const earlier = drop(grant, [[farmer, 5n * ONE]]);
  await world.mine();
  claim('farmer', grant, earlier.documents[farmer]);
  await world.mine();
  const trees = {
    USDC: drop(usdc, [[farmer, 40n * USDC], [exited, 9n * USDC], [whale, 2n * USDC]]),
    GRT: drop(grant, [[farmer, 7n * ONE], [whale, 3n]]),
    HID: drop(hidden, [[odd, 6n * ONE], [whale, ONE]]),
    PSD: drop(paused, [[dust, ONE], [whale, ONE]]),
  };
  await world.mine();
  claim('exited', usdc, trees.USDC.documents[exited]);
  update(paused, `0x${'0'.repeat(64)}`);
  await world.mine();
  const active = Object.entries({ USDC: usdc, GRT: grant, HID: hidden, PSD: paused });
  const published = Object.entries(trees).map(([symbol, tree]) => [symbol, publishedAs(tree)]);
  return { address, activeTokens: active.map(([symbol, value]) => ({ value, symbol })), published: Object.fromEntries(published) };
}

// As Votium publishes a token's tree: for all accounts, by their checksummed addresses.
function publishedAs({ root, documents }) {
  const claims = Object.entries(documents).map(([account, claim]) => [getAddress(account), claim]);
  return { merkleRoot: root, claims: Object.fromEntries(claims) };
}
