// Chain id 10 once more: Velodrome v2 at its real addresses with 3,000 gauges, locks with rebases, and an airdrop.
import { Escrow, Gauge } from '../lib/gauges.mjs';
import { airdrop } from '../lib/merkle.mjs';
import { give, newToken, register } from '../lib/tokens.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { NEW_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const VOTER = '0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c';
const ESCROW = '0xfaf8fd17d9840595845582fcb047df13f006787d';
const DISTRIBUTOR = '0x9d4736ec60715e71afe72973f7885dcbc21ea99b';
const VELO = '0x9560e827af36c94d2ac33a39bce1fe78631088db';

const GAUGES = 3_000;
const STAKED = [0, 1, 777, 1_500, 2_998, 2_999]; // The places of gauges of tokens that exist; the first two end before.
const ROOT = 1_000; // The place of one of another network's pool, which counts no stakes.
const CHUNK = 40; // Gauges of one transaction.
const E18 = 10n ** 18n;
const DAY = 86_400n;
const THIS_WEEK = 1_749_700_000; // In the week of the snapshot.

export const optimismGauges = {
  name: 'optimism-gauges',
  chainId: 10,
  native: 13n * 10n ** 17n,
  async populate(world) {
    await world.at(SETUP);
    const { velo, minter, gauges } = await create(world);
    const escrow = new Escrow(world, { address: ESCROW, distributor: DISTRIBUTOR, minter, token: velo });
    escrow.model.begin(world.now);
    await world.at(NEW_PERIOD);
    past(gauges, escrow);
    await world.at(NEW_PERIOD + 3 * Number(DAY));
    gauges[0].withdraw('exited', 31n * E18);
    // And sells its shares: these pools are tokens without reserves.
    world.send('exited', gauges[0].staked.address, 'TokenDouble', 'transfer', [world.accounts.deployer, 31n * E18]);
    await world.at(THIS_WEEK);
    present(gauges, escrow);
    const drop = dropTokens(world, velo);
    await world.at(SNAPSHOT);
    requireStory(world, escrow);
    world.checks = escrow.checks();
    return {
      contracts: { multicall3: MULTICALL3, voter: VOTER, escrow: ESCROW, distributor: DISTRIBUTOR, gauges: gauges.map(({ address }) => address) },
      prices: { [VELO]: '0.0783', [gauges[0].staked.address]: '12.5', [gauges[2].staked.address]: '0.25' },
      more: {
        gaugeCount: GAUGES,
        locks: Object.fromEntries(Object.keys(world.accounts).map((who) => [who, escrow.expected(who)])),
        airdrop: drop,
      },
    };
  },
};

async function create(world) {
  await world.place([[MULTICALL3, 'Multicall3'], [VELO, 'TokenDouble', ['Velodrome', 'VELO', 18]]]);
  const velo = register(world, VELO, { name: 'Velodrome', symbol: 'VELO', decimals: 18 });
  const implementation = world.deploy('GaugeDouble', [VOTER, VELO]);
  const root = world.deploy('RootGaugeDouble');
  const minter = world.deploy('MinterDouble');
  await world.place([[VOTER, 'VoterDouble', [implementation]], [ESCROW, 'VotingEscrowDouble', [VELO]]]);
  await world.place([[DISTRIBUTOR, 'RewardsDistributorDouble', [ESCROW, minter]]]);
  const pools = STAKED.map((place) => newToken(world, `Volatile Pool ${place}`, `vAMM-${place}`, 18));
  fill(world, pools, root);
  await world.mine();
  const addresses = await world.views(pools.map(({ address }) => [VOTER, 'VoterDouble', 'gauges', [address]]));
  const places = await world.views([...STAKED, ROOT].map((place) => [VOTER, 'VoterDouble', 'pools', [BigInt(place)]]));
  pools.forEach(({ address }, i) => {
    if (places[i].toLowerCase() !== address) throw new Error(`pool ${STAKED[i]} is another`);
  });
  const gauges = pools.map((pool, i) => new Gauge(world, VOTER, addresses[i].toLowerCase(), pool, velo));
  return { velo, minter, gauges };
}

// Gauges of tokens that exist and thousands of others, in the order of their places.
function fill(world, pools, root) {
  const send = (functionName, args) => world.send('deployer', VOTER, 'VoterDouble', functionName, args);
  for (let place = 0; place < GAUGES;) {
    const staked = STAKED.indexOf(place);
    if (staked >= 0) send('createGauge', [pools[staked].address]);
    else if (place === ROOT) send('addGauge', [MULTICALL3, root]);
    const special = staked >= 0 || place === ROOT;
    const next = [...STAKED, ROOT, GAUGES].filter((other) => other > place).reduce((a, b) => Math.min(a, b));
    const count = special ? 1 : Math.min(CHUNK, next - place);
    if (!special) send('createGauges', [BigInt(place), BigInt(count)]);
    place += count;
  }
}

// A week that is over at the snapshot, and the locks.
function past(gauges, escrow) {
  const [first, second] = gauges;
  first.start(604_800n * E18);
  first.stake('farmer', 50n * E18);
  first.stake('exited', 31n * E18);
  second.start(77n * E18 + 5n);
  second.stake('whale', 3n * E18 + 1n);
  escrow.lock('farmer', 1_000n * E18 + 7n, 364n * DAY);
  escrow.makePermanent('farmer', escrow.lock('farmer', 333n * E18 + 1n, 30n * DAY));
  escrow.lock('whale', 50_000n * E18, 4n * 365n * DAY);
  escrow.lock('exited', 90n * E18, 14n * DAY);
  escrow.rebase(0n);
}

function present(gauges, escrow) {
  const [, , third, fourth, fifth, sixth] = gauges;
  for (const [gauge, amount] of [[third, 12_345n * E18 + 11n], [fourth, 9_999n * E18], [fifth, 1n], [sixth, 500n * E18]]) gauge.start(amount);
  third.stake('whale', 4_000n * E18);
  third.stake('farmer', 67n * E18 + 1n);
  fourth.stake('farmer', 1n);
  fifth.stake('dust', 10n ** 15n);
  sixth.stake('farmer', 2n * E18);
  sixth.stake('bystander', 5n * E18 + 3n);
  escrow.rebase(123_456n * E18 + 789n);
  escrow.lock('dust', 5n * E18, 7n * DAY); // In the week of the snapshot: nothing has come to it yet.
}

function dropTokens(world, velo) {
  const amounts = { whale: 400n * E18, farmer: 500n * E18 + 9n, exited: 1n, dust: 2n, bystander: 70n * E18 };
  const { root, documents } = airdrop(Object.entries(amounts).map(([who, amount]) => [world.accounts[who], amount]));
  const distributor = world.deploy('MerkleDistributor', [velo.address, root]);
  give(world, velo, distributor, Object.values(amounts).reduce((sum, amount) => sum + amount));
  return { distributor, token: velo.address, root, documents };
}

// Checks the cases that tests rely on.
function requireStory(world, escrow) {
  const rebases = escrow.model.locks.map((_, i) => escrow.model.rebase(i + 1));
  if (rebases.slice(0, 4).some((amount) => amount === 0n) || rebases[4] !== 0n) throw new Error(`rebases are ${rebases}`);
  if (escrow.expected('exited')[0].paidTo !== 'account') throw new Error('no lock is over');
  const owes = (who) => world.farms.filter((farm) => farm.model.earned(world.now, who)[0] > 0n).length;
  if (owes('farmer') < 3 || owes('exited') !== 1 || owes('nothing') !== 0) throw new Error('gauges owe too little');
}
