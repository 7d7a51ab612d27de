// The amounts of locks and rebases, stated independently of the contracts: weeks, shares of votes, roundings by hand.
export const WEEK = 604_800n;
const FOUR_YEARS = 126_144_000n;

export const weekOf = (time) => (time / WEEK) * WEEK;

export class LockModel {
  constructor() {
    this.locks = []; // The number of a lock is its place, counted from one.
    this.weeks = new Map();
    this.last = null;
  }

  create(now, who, amount, duration) {
    return this.locks.push({ who, amount, since: now, end: weekOf(now + duration), permanent: false });
  }

  makePermanent(id) {
    Object.assign(this.locks[id - 1], { end: 0n, permanent: true });
  }

  // The distributor's first moment, or tokens that it got since the last one, by the second.
  begin(now) {
    this.last = weekOf(now);
  }

  distribute(now, amount) {
    const whole = now - this.last;
    for (let week = weekOf(this.last); week < now; week += WEEK) {
      const [from, to] = [week > this.last ? week : this.last, week + WEEK < now ? week + WEEK : now];
      this.weeks.set(week, (this.weeks.get(week) ?? 0n) + (amount * (to - from)) / whole);
    }
    this.last = now;
  }

  // Votes at a moment. A lock never changes once its block is over.
  votes({ amount, since, end, permanent }, time) {
    if (time < since) return 0n;
    if (permanent) return amount;
    return end > time ? (amount / FOUR_YEARS) * (end - time) : 0n;
  }

  rebase(id) {
    const own = this.locks[id - 1];
    let sum = 0n;
    for (let week = weekOf(own.since); week < weekOf(this.last); week += WEEK) {
      const moment = week + WEEK - 1n;
      const all = this.locks.reduce((total, lock) => total + this.votes(lock, moment), 0n);
      sum += (this.votes(own, moment) * (this.weeks.get(week) ?? 0n)) / (all || 1n);
    }
    return sum;
  }

  of(who) {
    return this.locks.flatMap((lock, i) => (lock.who === who ? [{ id: i + 1, ...lock }] : []));
  }
}
