// The amounts that the contracts must pay, stated independently of them: integer roundings by hand where the contract
// rounds. `FarmModel` also keeps the exact share as a fraction (rate x seconds x stake / total), to bound what rounding
// may cost.
import { add, fraction } from './decimal.mjs';

const SCALE = 10n ** 18n;
const min = (a, b) => (a < b ? a : b);

export class FarmModel {
  constructor(rewardTokens) {
    this.total = 0n;
    this.stakes = new Map();
    this.finish = 0n;
    this.last = 0n;
    this.rewards = rewardTokens.map((token) => ({ token, rate: 0n, perToken: 0n, paid: new Map(), owed: new Map(), exact: new Map(), slack: 0n }));
  }

  stakeOf(who) {
    return this.stakes.get(who) ?? 0n;
  }

  // One amount per reward token. A running period's rest is spread over the new one.
  notify(now, amounts, duration) {
    this.#settle(now, null);
    const rest = now < this.finish ? this.finish - now : 0n;
    this.rewards.forEach((reward, i) => (reward.rate = (amounts[i] + rest * reward.rate) / duration));
    this.last = now;
    this.finish = now + duration;
  }

  move(now, who, change) {
    this.#settle(now, who);
    this.total += change;
    this.stakes.set(who, this.stakeOf(who) + change);
  }

  // Per reward token what `who` may claim at `now`.
  earned(now, who) {
    this.#settle(now, who);
    return this.rewards.map((reward) => {
      const owed = reward.owed.get(who) ?? 0n;
      const { n, d } = reward.exact.get(who) ?? fraction(0);
      if (owed * d > n) throw new Error(`${who} would earn more than its share`);
      if (n - owed * d > reward.slack * d) throw new Error(`${who} would earn less than its share`);
      return owed;
    });
  }

  // Returns the amount that `who` gets at `now`; nothing of it is owed any more.
  claim(now, who) {
    const paid = this.earned(now, who);
    for (const reward of this.rewards) {
      reward.owed.set(who, 0n);
      reward.exact.set(who, fraction(0));
    }
    return paid;
  }

  ratesAt(now) {
    return this.rewards.map((reward) => (now < this.finish ? reward.rate : 0n));
  }

  #settle(now, who) {
    const until = min(now, this.finish);
    const seconds = until > this.last ? until - this.last : 0n;
    for (const reward of this.rewards) {
      if (this.total > 0n) {
        reward.perToken += (seconds * reward.rate * SCALE) / this.total;
        for (const [holder, stake] of this.stakes) {
          const share = fraction(seconds * reward.rate * stake, this.total);
          reward.exact.set(holder, add(reward.exact.get(holder) ?? fraction(0), share));
        }
        reward.slack += this.total / SCALE + 2n; // Both divisions round down, once each.
      }
      if (who === null) continue;
      const grown = reward.perToken - (reward.paid.get(who) ?? 0n);
      reward.owed.set(who, (reward.owed.get(who) ?? 0n) + (this.stakeOf(who) * grown) / SCALE);
      reward.paid.set(who, reward.perToken);
    }
    this.last = until > this.last ? until : this.last;
  }
}

export class LairModel {
  constructor() {
    this.held = 0n;
    this.supply = 0n;
    this.shares = new Map();
  }

  sharesOf(who) {
    return this.shares.get(who) ?? 0n;
  }

  enter(who, amount) {
    const minted = this.supply === 0n ? amount : (amount * this.supply) / this.held;
    this.#change(who, minted, amount);
  }

  leave(who, shares) {
    this.#change(who, -shares, -this.redeems(shares));
  }

  reward(amount) {
    this.held += amount;
  }

  redeems(shares) {
    return (shares * this.held) / this.supply;
  }

  #change(who, shares, quick) {
    this.supply += shares;
    this.held += quick;
    this.shares.set(who, this.sharesOf(who) + shares);
  }
}

// Uniswap v2's first mint: the geometric mean of both deposits.
export function squareRoot(n) {
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
