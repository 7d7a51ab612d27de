// The amounts that a chef must pay, stated independently of it: a pool's reward per share, kept in units of 1e-12, with
// both divisions rounded down as the contracts do. Beside it the exact shares as fractions, to bound what rounding may
// cost.
import { add, fraction } from './decimal.mjs';

const PRECISION = 10n ** 12n;

export class ChefModel {
  // `clock` counts blocks or seconds; `reward(from, to)` is what all pools together get
  // between two readings of it. `paysOnMove`: MasterChef v1 and rewarders pay what is
  // pending with each deposit and withdrawal, later chefs keep it for a harvest.
  constructor({ clock, reward, paysOnMove }) {
    Object.assign(this, { clock, reward, paysOnMove, pools: [], totalAlloc: 0n });
  }

  addPool(alloc, start) {
    this.totalAlloc += alloc;
    this.pools.push({ alloc, last: start, supply: 0n, perShare: 0n, users: new Map(), slack: 1n });
  }

  stakeOf(pid, who) {
    return this.#user(pid, who).amount;
  }

  // Brings a pool up to date; what it was given meanwhile.
  settle(pid, now) {
    const pool = this.pools[pid];
    if (now <= pool.last) return 0n;
    const given = pool.supply > 0n ? (this.reward(pool.last, now) * pool.alloc) / this.totalAlloc : 0n;
    if (pool.supply > 0n) {
      const exactly = fraction(this.reward(pool.last, now) * pool.alloc, this.totalAlloc * pool.supply);
      for (const user of pool.users.values()) user.exact = add(user.exact, fraction(exactly.n * user.amount, exactly.d));
      pool.perShare += (given * PRECISION) / pool.supply;
      pool.slack += pool.supply / PRECISION + 2n; // Both divisions, once each.
    }
    pool.last = now;
    return given;
  }

  // To be called with the pool up to date.
  move(pid, who, change) {
    const pool = this.pools[pid];
    const user = this.#user(pid, who);
    if (this.paysOnMove) {
      user.paid += this.#owed(pool, user);
      user.amount += change;
      user.debt = (user.amount * pool.perShare) / PRECISION;
    } else {
      const size = change < 0n ? -change : change;
      const share = (size * pool.perShare) / PRECISION;
      user.amount += change;
      user.debt += change < 0n ? -share : share;
    }
    pool.supply += change;
    pool.slack += 2n;
  }

  // Returns the amount that `who` would be paid at `now`. Changes nothing.
  pending(pid, who, now) {
    const saved = structuredClone(this.pools[pid]);
    this.settle(pid, now);
    const pool = this.pools[pid];
    const user = this.#user(pid, who);
    const owed = this.#owed(pool, user);
    const { n, d } = user.exact;
    const off = (owed + user.paid) * d - n;
    if ((off < 0n ? -off : off) > pool.slack * d) throw new Error(`${who} would be paid ${owed} of pool ${pid}, which is not its share`);
    this.pools[pid] = saved;
    return owed;
  }

  #owed(pool, user) {
    return (user.amount * pool.perShare) / PRECISION - user.debt;
  }

  #user(pid, who) {
    const { users } = this.pools[pid];
    if (!users.has(who)) users.set(who, { amount: 0n, debt: 0n, paid: 0n, exact: fraction(0) });
    return users.get(who);
  }
}

// MasterChef v1 pays tenfold up to a block.
export function withBonus(perBlock, bonusEnd, factor = 10n) {
  const counted = (block) => (block < bonusEnd ? block * factor : bonusEnd * factor + block - bonusEnd);
  return (from, to) => (counted(to) - counted(from)) * perBlock;
}

export const steady = (rate) => (from, to) => (to - from) * rate;

// Pays from the moment of funding up to another one.
export function until(rate, end) {
  const counted = (moment) => (moment < end ? moment : end);
  return (from, to) => (counted(to) - counted(from)) * rate;
}
