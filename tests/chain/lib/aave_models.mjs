// The amounts that Aave v3 must report and pay, stated independently of it: indexes, rates, balances with interest,
// health factors, rewards; the contracts' roundings by hand.
import { RAY, WAD, compounded, linear, percentMul, rayDiv, rayMul, wadDiv } from './ray.mjs';

const WHOLE = 10_000n; // Basis points.
const WAD_TO_RAY = RAY / WAD;

// Balances divided by the index at which they came in.
export class Scaled {
  constructor() {
    this.total = 0n;
    this.users = new Map();
    this.incentives = [];
  }

  of(who) {
    return this.users.get(who) ?? 0n;
  }

  change(now, who, amount) {
    this.incentives.forEach((incentive) => incentive.settle(now, who));
    this.total += amount;
    this.users.set(who, this.of(who) + amount);
  }
}

export class ReserveModel {
  // `terms`: { optimal, base, slope1, slope2 (rays), factor, threshold (basis points),
  // price (dollars, 8 decimals), decimals }
  constructor(terms) {
    Object.assign(this, terms);
    Object.assign(this, { liquidityIndex: RAY, debtIndex: RAY, liquidityRate: 0n, debtRate: 0n, last: 0n, available: 0n });
    Object.assign(this, { supplied: new Scaled(), debt: new Scaled(), collateral: new Set() });
  }

  supply(now, who, amount) {
    this.#touch(now);
    this.available += amount;
    this.#reprice();
    if (this.supplied.of(who) === 0n && this.threshold > 0n) this.collateral.add(who);
    this.supplied.change(now, who, rayDiv(amount, this.liquidityIndex));
  }

  // All of it; what that was.
  withdrawAll(now, who) {
    this.#touch(now);
    const amount = rayMul(this.supplied.of(who), this.liquidityIndex);
    this.available -= amount;
    this.#reprice();
    this.collateral.delete(who);
    this.supplied.change(now, who, -rayDiv(amount, this.liquidityIndex));
    return amount;
  }

  borrow(now, who, amount) {
    this.#touch(now);
    this.debt.change(now, who, rayDiv(amount, this.debtIndex));
    this.available -= amount;
    this.#reprice();
  }

  // At most what is owed; what was paid.
  repay(now, who, most) {
    this.#touch(now);
    const owed = rayMul(this.debt.of(who), this.debtIndex);
    const paid = most < owed ? most : owed;
    this.debt.change(now, who, -rayDiv(paid, this.debtIndex));
    this.available += paid;
    this.#reprice();
    return paid;
  }

  suppliedBy(now, who) {
    const seconds = now - this.last;
    const index = seconds === 0n ? this.liquidityIndex : rayMul(linear(this.liquidityRate, seconds), this.liquidityIndex);
    return rayMul(this.supplied.of(who), index);
  }

  owedBy(now, who) {
    const seconds = now - this.last;
    const index = seconds === 0n ? this.debtIndex : rayMul(compounded(this.debtRate, seconds), this.debtIndex);
    return rayMul(this.debt.of(who), index);
  }

  // In dollars of 8 decimals, rounded down.
  worth(amount) {
    return (amount * this.price) / 10n ** BigInt(this.decimals);
  }

  #touch(now) {
    if (now === this.last) return;
    const seconds = now - this.last;
    if (this.liquidityRate > 0n) this.liquidityIndex = rayMul(linear(this.liquidityRate, seconds), this.liquidityIndex);
    if (this.debt.total > 0n) this.debtIndex = rayMul(compounded(this.debtRate, seconds), this.debtIndex);
    this.last = now;
  }

  // Two straight lines that meet at the optimal usage.
  #reprice() {
    const debt = rayMul(this.debt.total, this.debtIndex);
    const usage = debt === 0n ? 0n : rayDiv(debt, this.available + debt);
    this.debtRate = this.base + (usage > this.optimal
      ? this.slope1 + rayMul(this.slope2, rayDiv(usage - this.optimal, RAY - this.optimal))
      : rayDiv(rayMul(this.slope1, usage), this.optimal));
    // The contract weighs one kind of debt only, by way of rays; that rounds, too.
    const scaled = debt * WAD_TO_RAY;
    const overall = debt === 0n ? 0n : rayDiv(rayMul(scaled, this.debtRate), scaled);
    this.liquidityRate = percentMul(rayMul(overall, usage), WHOLE - this.factor);
  }
}

// One reward token of one a- or debt token.
export class IncentiveModel {
  constructor({ scaled, decimals, perSecond, start, end }) {
    Object.assign(this, { scaled, unit: 10n ** BigInt(decimals), perSecond, end, last: start, index: 0n, users: new Map() });
    scaled.incentives.push(this);
  }

  // Before a balance changes.
  settle(now, who) {
    this.index = this.#indexAt(now);
    this.last = now;
    this.users.set(who, { index: this.index, accrued: this.#accrued(who, this.index) });
  }

  earned(now, who) {
    return this.#accrued(who, this.#indexAt(now));
  }

  #accrued(who, index) {
    const seen = this.users.get(who) ?? { index: 0n, accrued: 0n };
    return seen.accrued + (this.scaled.of(who) * (index - seen.index)) / this.unit;
  }

  #indexAt(now) {
    if (this.scaled.total === 0n || this.last >= this.end) return this.index;
    const until = now < this.end ? now : this.end;
    return this.index + (this.perSecond * (until - this.last) * this.unit) / this.scaled.total;
  }
}

// Of all reserves together; null without debt.
export function healthFactor(reserves, now, who) {
  let collateral = 0n;
  let weighted = 0n;
  let debt = 0n;
  for (const reserve of reserves) {
    if (reserve.collateral.has(who)) {
      const worth = reserve.worth(reserve.suppliedBy(now, who));
      collateral += worth;
      weighted += worth * reserve.threshold;
    }
    debt += reserve.worth(reserve.owedBy(now, who));
  }
  if (debt === 0n) return null;
  return wadDiv(percentMul(collateral, collateral === 0n ? 0n : weighted / collateral), debt);
}
