// The mechanisms: farms of the real StakingRewardsFactory, farms that stand alone, farms
// of the dual double, lairs. Each action is queued on the chain and done on the model.
import { pad } from 'viem';
import { FarmModel, LairModel } from './models.mjs';
import { give } from './tokens.mjs';

const DAY = 86_400n;
const DURATION = 60n * DAY; // A constant of the packaged StakingRewards.
const REWARDS_TOKEN_SLOT = '0x1'; // After Ownable's owner.

export class Farm {
  constructor(world, factory, staked, rewards, kind) {
    Object.assign(this, { world, factory, staked, rewards, protocol: 'quickswap', ...kind });
    this.model = new FarmModel(rewards);
    world.farms.push(this);
  }

  // Gives `who` the tokens and stakes them.
  stake(who, amount) {
    give(this.world, this.staked, who, amount);
    this.world.send(who, this.staked.address, 'TokenDouble', 'approve', [this.address, amount]);
    this.world.send(who, this.address, this.artifact, 'stake', [amount]);
    this.model.move(this.world.now, who, amount);
  }

  withdraw(who, amount) {
    this.world.send(who, this.address, this.artifact, 'withdraw', [amount]);
    this.model.move(this.world.now, who, -amount);
  }

  // Claims, and returns the amount paid per reward token.
  claim(who) {
    this.world.send(who, this.address, this.artifact, 'getReward', []);
    return this.model.claim(this.world.now, who);
  }
}

export class FarmFactory {
  static SINGLE = { vaultType: 'quickswap-reward-rewardPool', artifact: 'StakingRewards', earned: ['earned'], rates: ['rewardRate'] };

  constructor(world, address, reward) {
    Object.assign(this, { world, address, reward, farms: [] });
  }

  // Makes farms and sets their rewards aside; they run from `start` on. Rows: { staked,
  // amount, reward }. The real factory has one reward token for all its farms; where
  // a row has another, that slot is rewritten around the call, the bytecode is the real.
  async deploy(rows) {
    const made = [];
    for (const { staked, amount = 0n, reward = this.reward } of rows) {
      await this.#paying(reward, () => this.world.send('deployer', this.address, 'StakingRewardsFactory', 'deploy', [staked.address, amount]));
      made.push(Object.assign(new Farm(this.world, this, staked, [reward], FarmFactory.SINGLE), { amount }));
    }
    await this.world.mine();
    await learnAddresses(this.world, this.address, 'StakingRewardsFactory', made);
    this.farms.push(...made);
    return made;
  }

  async start(farms) {
    for (const farm of farms) {
      const [reward] = farm.rewards;
      await this.#paying(reward, () => {
        give(this.world, reward, this.address, farm.amount);
        this.world.send('deployer', this.address, 'StakingRewardsFactory', 'notifyRewardAmount', [farm.staked.address]);
      });
      farm.model.notify(this.world.now, [farm.amount], DURATION);
    }
  }

  async #paying(reward, act) {
    if (reward === this.reward) return act();
    await this.world.store(this.address, REWARDS_TOKEN_SLOT, pad(reward.address));
    act();
    await this.world.store(this.address, REWARDS_TOKEN_SLOT, pad(this.reward.address));
  }
}

// A StakingRewards that no factory made; the deployer sets its rewards aside and starts it.
export class LoneFarm extends Farm {
  constructor(world, staked, reward, protocol) {
    super(world, null, staked, [reward], { ...FarmFactory.SINGLE, protocol });
    this.address = world.deploy('StakingRewards', [world.accounts.deployer, reward.address, staked.address]);
  }

  start(amount) {
    give(this.world, this.rewards[0], this.address, amount);
    this.world.send('deployer', this.address, 'StakingRewards', 'notifyRewardAmount', [amount]);
    this.model.notify(this.world.now, [amount], DURATION);
  }
}

export class DualFactory {
  static DUAL = { vaultType: 'quickswap-dual-reward-pool', artifact: 'StakingDualRewardsDouble', earned: ['earnedA', 'earnedB'], rates: ['rewardRateA', 'rewardRateB'] };

  constructor(world, address) {
    Object.assign(this, { world, address, farms: [] });
  }

  // Rows: { staked, rewards: [token, token], amounts, duration }
  async deploy(rows) {
    const made = rows.map(({ staked, rewards, amounts, duration }) => {
      const args = [this.world.accounts.deployer, staked.address, ...rewards.map((token) => token.address), ...amounts, duration];
      this.world.send('deployer', this.address, 'StakingRewardsDualFactoryDouble', 'deploy', args);
      return Object.assign(new Farm(this.world, this, staked, rewards, DualFactory.DUAL), { amounts, duration });
    });
    await this.world.mine();
    await learnAddresses(this.world, this.address, 'StakingRewardsDualFactoryDouble', made);
    this.farms.push(...made);
    return made;
  }

  start(farms) {
    for (const { rewards, amounts, duration, staked, model } of farms) {
      rewards.forEach((token, i) => give(this.world, token, this.address, amounts[i]));
      this.world.send('deployer', this.address, 'StakingRewardsDualFactoryDouble', 'notifyRewardAmount', [staked.address]);
      model.notify(this.world.now, amounts, duration);
    }
  }
}

// Shares of a growing heap of one token: QuickSwap's lairs, SushiSwap's bar.
export class Lair {
  static QUICK = { protocol: 'quickswap', vaultType: 'quickswap-dquick', artifact: 'DragonLairDouble' };
  static SUSHI = { protocol: 'sushiswap', vaultType: 'xsushi', artifact: 'SushiBar' };

  constructor(world, token, held, kind = Lair.QUICK) {
    Object.assign(this, { world, token, address: token.address, held, model: new LairModel(), ...kind });
    world.lairs.push(this);
  }

  enter(who, amount) {
    give(this.world, this.held, who, amount);
    this.world.send(who, this.held.address, 'TokenDouble', 'approve', [this.address, amount]);
    this.world.send(who, this.address, this.artifact, 'enter', [amount]);
    this.#moved(() => this.model.enter(who, amount));
  }

  leave(who, shares) {
    this.world.send(who, this.address, this.artifact, 'leave', [shares]);
    this.#moved(() => this.model.leave(who, shares));
  }

  reward(amount) {
    give(this.world, this.held, this.address, amount);
    this.model.reward(amount);
  }

  #moved(act) {
    act();
    this.token.supply = this.model.supply;
  }
}

async function learnAddresses(world, factory, artifact, farms) {
  const infos = await world.views(farms.map(({ staked }) => [factory, artifact, 'stakingRewardsInfoByStakingToken', [staked.address]]));
  farms.forEach((farm, i) => (farm.address = infos[i][0].toLowerCase()));
}
