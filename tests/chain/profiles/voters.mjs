// Chain id 10 once more: doubles of voters of four generations with what they know, few of each kind. The tests know by
// arithmetic what its accounts have; see tests/tests/e2e/voters.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const RUNNING = SNAPSHOT - 1_000; // Since when a week of rewards runs that does not end before the snapshot.
const PRICE_OF_ONE = 2n ** 96n;

export const voters = {
  name: 'voters',
  chainId: 10,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const tokens = Object.fromEntries(['BASE', 'MORE', 'LP', 'AAA', 'BBB'].map((symbol) => [symbol, world.deploy('TokenDouble', [symbol, symbol, 18])]));
    const of = (artifact, to) => (name, ...args) => world.send('deployer', to, artifact, name, args);
    const mint = (token, to, amount) => of('TokenDouble', tokens[token])('mint', to, amount);
    const heirs = { 'velodrome-v1': 'VelodromeV1GaugeDouble', equalizer: 'EqualizerGaugeDouble', thena: 'ThenaGaugeDouble' };
    const deployed = Object.fromEntries(Object.entries(heirs).map(([generation, artifact]) => [generation, heir(world, tokens, generation, artifact)]));
    const slipstream = concentrated(world, tokens);
    await world.at(SETUP);

    // Rewards of one token that are over, where a gauge pays a list, and of one that run.
    for (const [generation, { gauge, escrow, distributor, voter }] of Object.entries(deployed)) {
      const act = of(heirs[generation], gauge);
      of('HeirVoterDouble', voter)('setEscrow', escrow);
      of('HeirVoterDouble', voter)('addGauge', tokens.LP, gauge);
      if (generation !== 'thena') act('notify', tokens.MORE, 200n);
      mint('BASE', gauge, 700_000n * ONE);
      mint('MORE', gauge, ONE);
      // 60 and 40 of all, of which a lock has raised the first.
      act('stakeFor', world.accounts.farmer, 60n * ONE, 60n * ONE);
      act('stakeFor', world.accounts.whale, generation === 'velodrome-v1' ? 100n * ONE : 40n * ONE, 40n * ONE);
      locks(world, of, { escrow, distributor, token: tokens.BASE });
      mint('BASE', distributor, ONE);
    }
    slipstream.fill(of, mint);
    await world.at(RUNNING);
    for (const [generation, { gauge }] of Object.entries(deployed)) of(heirs[generation], gauge)('notify', tokens.BASE, ONE);
    slipstream.start(of);
    await world.at(SNAPSHOT);
    const contracts = { multicall3: MULTICALL3 };
    return { contracts, prices: {}, more: { assets: tokens, heirs: deployed, slipstream: slipstream.contracts, seconds: SNAPSHOT - RUNNING } };
  },
};

function heir(world, tokens, generation, artifact) {
  const voter = world.deploy('HeirVoterDouble');
  const escrow = world.deploy('HeirEscrowDouble', [tokens.BASE]);
  const distributor = world.deploy('HeirDistributorDouble', [escrow, generation === 'thena']);
  return { voter, escrow, distributor, gauge: world.deploy(artifact, [voter, tokens.LP]) };
}

// A lock that runs, one that is over, and what each has coming.
function locks(world, of, { escrow, distributor, token }) {
  of('TokenDouble', token)('mint', escrow, 30n);
  of('HeirEscrowDouble', escrow)('lockFor', world.accounts.farmer, 1n, 10n, BigInt(SNAPSHOT + 604_800));
  of('HeirEscrowDouble', escrow)('lockFor', world.accounts.farmer, 2n, 20n, BigInt(SNAPSHOT - 604_800));
  of('HeirDistributorDouble', distributor)('owe', 1n, 7n);
  of('HeirDistributorDouble', distributor)('owe', 2n, 8n);
}

// A concentrated pool at the price of one, three positions staked in its gauge, two locks that vote for it, and one that
// has moved its vote to another pool.
function concentrated(world, tokens) {
  const escrow = world.deploy('VotingEscrowDouble', [tokens.BASE]);
  const code = world.deploy('GaugeDouble', [MULTICALL3, tokens.BASE]);
  const voter = world.deploy('VotingVoterDouble', [code, escrow]);
  const manager = world.deploy('PositionManagerDouble');
  const pool = world.deploy('ConcentratedPoolDouble');
  const gauge = world.deploy('CLGaugeDouble', [voter, manager, pool, tokens.BASE, tokens.AAA, tokens.BBB]);
  const fees = world.deploy('VotingRewardDouble', [voter, [tokens.AAA, tokens.BBB]]);
  const bribe = world.deploy('VotingRewardDouble', [voter, [tokens.MORE, tokens.BASE]]);
  const otherPool = world.deploy('ConcentratedPoolDouble');
  const otherGauge = world.deploy('CLGaugeDouble', [voter, manager, otherPool, tokens.BASE, tokens.AAA, tokens.BBB]);
  const [otherFees, otherBribe] = [1, 2].map(() => world.deploy('VotingRewardDouble', [voter, [tokens.AAA]]));
  const positions = [[1n, 'farmer', -10_000, 10_000, 3n, 5n], [2n, 'farmer', 0, 10_000, 1n, 0n], [3n, 'whale', -10_000, 10_000, 6n, 0n], [4n, 'odd', 10_000, 20_000, 2n, 0n]];

  const fill = (of, mint) => {
    const [vote, manage] = [of('VotingVoterDouble', voter), of('PositionManagerDouble', manager)];
    of('ConcentratedPoolDouble', pool)('set', PRICE_OF_ONE, 0, 10n * ONE);
    vote('addGauge', pool, gauge);
    vote('payVotes', gauge, fees, bribe);
    vote('addGauge', otherPool, otherGauge);
    vote('payVotes', otherGauge, otherFees, otherBribe);
    positions.forEach(([id, , lower, upper, liquidity]) => manage('set', id, tokens.AAA, tokens.BBB, lower, upper, liquidity * ONE));
    mint('BASE', gauge, 700_000n * ONE);
    for (const who of ['farmer', 'whale', 'exited']) {
      mint('BASE', world.accounts[who], 100n);
      world.send(who, tokens.BASE, 'TokenDouble', 'approve', [escrow, 100n]);
      world.send(who, escrow, 'VotingEscrowDouble', 'createLock', [100n, 126_000_000n]);
    }
    vote('vote', 1n, [pool]);
    vote('vote', 2n, [pool]);
    vote('vote', 3n, [pool]);
    vote('vote', 3n, [otherPool]);
    for (const [contract, token, lock, amount] of [[fees, 'AAA', 1n, 11n], [fees, 'BBB', 1n, 12n], [bribe, 'MORE', 1n, 13n], [bribe, 'BASE', 2n, 14n], [fees, 'BBB', 3n, 15n], [bribe, 'MORE', 3n, 16n]]) {
      mint(token, contract, amount);
      of('VotingRewardDouble', contract)('owe', tokens[token], lock, amount);
    }
  };
  const start = (of) => {
    of('CLGaugeDouble', gauge)('start', ONE);
    positions.forEach(([id, who, , , , settled]) => of('CLGaugeDouble', gauge)('stakeFor', world.accounts[who], id, settled));
  };
  return { fill, start, contracts: { voter, escrow, manager, pool, gauge, fees, bribe } };
}
