// The chefs: pools in which stakes earn one token. Each action is queued on the chain
// and done on the model.
import { encodeFunctionData } from 'viem';
import { artifacts } from './artifacts.mjs';
import { ChefModel, steady } from './chef_models.mjs';
import { give } from './tokens.mjs';

const DEV_SHARE = 10n; // MasterChef v1 mints a tenth more for its developers.

// The differences between the kinds of chefs. `to`: moves of stakes name who they are for.
const KINDS = {
  v1: { clock: 'block', paysOnMove: true, mints: true, to: false, claims: { withdraw: (pid) => [pid, 0n], deposit: (pid) => [pid, 0n] } },
  later: { clock: null, paysOnMove: false, mints: false, to: true, claims: { harvest: (pid, account) => [pid, account] } },
};

export class Chef {
  // `row`: { protocol, vaultType, artifact, address, reward, pending, claim, kind, clock,
  // emits (what all pools get between two readings of the clock), perSecond (of all pools
  // together, where the chef returns it) }
  constructor(world, row) {
    Object.assign(this, { world, ...KINDS[row.kind], ...row, pools: [] });
    this.model = new ChefModel({ clock: this.clock, reward: this.emits, paysOnMove: this.paysOnMove });
    world.chefs.push(this);
  }

  // The reading of the chef's clock in the block to come.
  get now() {
    return this.clock === 'block' ? this.world.next : this.world.now;
  }

  // Its reading in the last block.
  get seen() {
    return this.clock === 'block' ? this.world.height : this.world.now;
  }

  // Rows: { staked, alloc, args (of the call that adds the pool), broken }
  addPools(functionName, rows, start = this.now) {
    for (const { staked, alloc, args, broken = false } of rows) {
      this.world.send('deployer', this.address, this.artifact, functionName, args);
      this.model.addPool(alloc, start);
      this.pools.push({ staked, broken, rewarder: null });
    }
  }

  deposit(who, pid, amount) {
    const { staked } = this.pools[pid];
    give(this.world, staked, who, amount);
    this.world.send(who, staked.address, 'TokenDouble', 'approve', [this.address, amount]);
    this.#move('deposit', who, pid, amount, amount);
  }

  withdraw(who, pid, amount) {
    this.#move('withdraw', who, pid, amount, -amount);
  }

  // Of one account in one pool: per token what a claim pays, and what it would pay more
  // in a later block at the same moment.
  pays(pid, who) {
    const { rewarder } = this.pools[pid];
    const amount = this.model.pending(pid, who, this.seen);
    const later = this.clock === 'block' ? this.model.pending(pid, who, this.seen + 1n) - amount : 0n;
    return [{ token: this.reward, amount, later }, ...(rewarder ? [{ token: rewarder.token, amount: rewarder.pays(who, amount), later: 0n }] : [])];
  }

  claimData(pid, who) {
    const args = this.claims[this.claim](BigInt(pid), this.world.accounts[who]);
    return encodeFunctionData({ abi: artifacts[this.artifact].abi, functionName: this.claim, args });
  }

  #move(functionName, who, pid, amount, change) {
    const args = [BigInt(pid), amount, ...(this.to ? [this.world.accounts[who]] : [])];
    this.world.send(who, this.address, this.artifact, functionName, args);
    const given = this.model.settle(pid, this.now);
    this.model.move(pid, who, change);
    if (this.mints) this.reward.supply += given + given / DEV_SHARE;
    this.pools[pid].rewarder?.move(who, change);
  }
}

// Pays by time, beside the chef and independently of it.
export class TimedRewarder {
  static artifact = 'RewarderByTimeDouble';

  constructor(world, chef, pid, token, perSecond) {
    Object.assign(this, { world, token });
    this.address = world.deploy(TimedRewarder.artifact, [token.address, perSecond, chef.address, BigInt(pid)]);
    this.model = new ChefModel({ clock: 'time', reward: steady(perSecond), paysOnMove: true });
    this.model.addPool(1n, world.now);
  }

  move(who, change) {
    this.model.settle(0, this.world.now);
    this.model.move(0, who, change);
  }

  pays(who) {
    return this.model.pending(0, who, this.world.now);
  }
}

// Pays so many units for each 1e18 that the chef pays, at that moment and never else.
export class MultiplyingRewarder {
  static artifact = 'RewarderViaMultiplier';

  constructor(world, chef, token, multiplier) {
    Object.assign(this, { world, token, multiplier });
    this.address = world.deploy(MultiplyingRewarder.artifact, [[token.address], [multiplier], 18n, chef.address]);
  }

  move() {}

  pays(who, amount) {
    return (amount * this.multiplier) / 10n ** 18n;
  }
}
