// Gauges of a voter, which reckon as farms do, and the locks of its escrow with their rebases.
import { encodeFunctionData } from 'viem';
import { artifacts } from './artifacts.mjs';
import { Farm } from './farms.mjs';
import { LockModel, WEEK, weekOf } from './lock_models.mjs';
import { give } from './tokens.mjs';

const KIND = { protocol: 'velodrome_v2', vaultType: 'solidly-gauge', artifact: 'GaugeDouble', earned: ['earned'], rates: ['rewardRate'] };

export class Gauge extends Farm {
  constructor(world, voter, address, staked, reward) {
    super(world, null, staked, [reward], { ...KIND, voter, address });
  }

  // Its period ends with the week.
  start(amount) {
    give(this.world, this.rewards[0], this.address, amount);
    this.world.send('deployer', this.voter, 'VoterDouble', 'distribute', [this.address, amount]);
    this.model.notify(this.world.now, [amount], weekOf(this.world.now) + WEEK - this.world.now);
  }

  stake(who, amount) {
    give(this.world, this.staked, who, amount);
    this.world.send(who, this.staked.address, 'TokenDouble', 'approve', [this.address, amount]);
    this.world.send(who, this.address, this.artifact, 'deposit', [amount]);
    this.model.move(this.world.now, who, amount);
  }

  claimData(who) {
    return encodeFunctionData({ abi: artifacts.GaugeDouble.abi, functionName: 'getReward', args: [this.world.accounts[who]] });
  }
}

export class Escrow {
  constructor(world, { address, distributor, minter, token }) {
    Object.assign(this, { world, address, distributor, minter, token, model: new LockModel() });
  }

  lock(who, amount, duration) {
    give(this.world, this.token, who, amount);
    this.world.send(who, this.token.address, 'TokenDouble', 'approve', [this.address, amount]);
    this.world.send(who, this.address, 'VotingEscrowDouble', 'createLock', [amount, duration]);
    return this.model.create(this.world.now, who, amount, duration);
  }

  makePermanent(who, id) {
    this.world.send(who, this.address, 'VotingEscrowDouble', 'lockPermanent', [BigInt(id)]);
    this.model.makePermanent(id);
  }

  rebase(amount) {
    if (amount > 0n) give(this.world, this.token, this.distributor, amount);
    this.world.send('deployer', this.minter, 'MinterDouble', 'updatePeriod', [this.distributor]);
    this.model.distribute(this.world.now, amount);
  }

  // The rows that `check` compares with the chain.
  checks() {
    return this.model.locks.flatMap(({ amount, end, permanent, who }, i) => [
      [[this.address, 'VotingEscrowDouble', 'locked', [BigInt(i + 1)]], [amount, end, permanent], (lock) => [lock.amount, lock.end, lock.isPermanent]],
      [[this.address, 'VotingEscrowDouble', 'ownerOf', [BigInt(i + 1)]], this.world.accounts[who], (owner) => owner.toLowerCase()],
      [[this.distributor, 'RewardsDistributorDouble', 'claimable', [BigInt(i + 1)]], this.model.rebase(i + 1)],
    ]);
  }

  // The service's answer about an account's locks; a rebase goes into the lock until that is over.
  expected(who) {
    return this.model.of(who).map(({ id, amount, end, permanent }) => ({
      tokenId: id,
      amountRaw: amount.toString(),
      unlocksAt: permanent ? null : Number(end),
      isPermanent: permanent,
      rebaseRaw: this.model.rebase(id).toString(),
      paidTo: permanent || end > this.world.now ? 'lock' : 'account',
    }));
  }
}
