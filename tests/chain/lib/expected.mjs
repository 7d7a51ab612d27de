// Writes down what the service must answer. Every number comes from the models.
import { healthFactor } from './aave_models.mjs';
import { add, div, fraction, round } from './decimal.mjs';
import { priceOf, worth } from './worth.mjs';

const YEAR_SECONDS = 31_536_000n;
const GET_REWARD = '0x3d18b912';
const ACCOUNTS = ['farmer', 'whale', 'odd', 'dust', 'nothing', 'exited'];

export function expected(world, { profile, chainId, block, prices, contracts, settings, native }) {
  const market = { world, prices };
  const accounts = Object.fromEntries(ACCOUNTS.map((who) => [who, {
    address: world.accounts[who],
    nativeRaw: native[who].toString(),
    farming: [
      ...world.farms.flatMap((farm) => staking(market, farm, who)),
      ...world.lairs.flatMap((lair) => sharing(market, lair, who)),
      ...world.chefs.flatMap((chef) => pooled(market, chef, who)),
    ],
    claimables: [
      ...world.farms.flatMap((farm) => claims(market, farm, who)),
      ...world.chefs.flatMap((chef) => harvests(market, chef, who)),
      ...world.markets.flatMap((lent) => incentives(market, lent, who)),
    ],
    lending: world.markets.flatMap((lent) => lending(market, lent, who)),
    missing: world.chefs.flatMap((chef) => unanswerable(chef, who)),
    ...(world.list && { tokenBalances: holdings(market, who) }),
  }]));
  const listed = world.list && { failedTokens: [...world.list.failing].sort(), priceSources: world.sources.expected() };
  return { profile, chainId, block, prices, tokens: named(world, accounts), contracts, settings, ...listed, accounts };
}

function staking(market, farm, who) {
  const amount = farm.model.stakeOf(who);
  if (amount === 0n) return [];
  return [{
    protocol: farm.protocol,
    contract: farm.address,
    vaultType: farm.vaultType,
    stakedToken: farm.staked.address,
    amountRaw: amount.toString(),
    underlyingAmountRaw: amount.toString(),
    rewardTokens: farm.rewards.map((token) => token.address),
    dollarValue: dollars(market, farm.staked, amount),
    apr: apr(market, farm),
  }];
}

function sharing(market, lair, who) {
  const shares = lair.model.sharesOf(who);
  if (shares === 0n) return [];
  const redeemed = lair.model.redeems(shares);
  return [{
    protocol: lair.protocol,
    contract: lair.address,
    vaultType: lair.vaultType,
    stakedToken: lair.held.address,
    amountRaw: shares.toString(),
    underlyingAmountRaw: redeemed.toString(),
    rewardTokens: [lair.held.address],
    dollarValue: dollars(market, lair.held, redeemed),
    apr: '0',
  }];
}

function pooled(market, chef, who) {
  return chef.pools.flatMap(({ staked, broken, rewarder }, pid) => {
    const amount = chef.model.stakeOf(pid, who);
    if (amount === 0n || broken) return [];
    return [{
      protocol: chef.protocol,
      contract: chef.address,
      pid,
      vaultType: chef.vaultType,
      stakedToken: staked.address,
      amountRaw: amount.toString(),
      underlyingAmountRaw: amount.toString(),
      rewardTokens: [chef.reward, ...(rewarder ? [rewarder.token] : [])].map((token) => token.address),
      dollarValue: dollars(market, staked, amount),
      apr: poolApr(market, chef, pid),
    }];
  });
}

// Rows that nobody can read: the staked token answers no call any more.
function unanswerable(chef, who) {
  return chef.pools.flatMap(({ staked, broken }, pid) =>
    broken && chef.model.stakeOf(pid, who) > 0n
      ? [{
        protocol: chef.protocol, contract: chef.address, pid, stakedToken: staked.address, logo: null,
        amountRaw: chef.model.stakeOf(pid, who).toString(),
      }]
      : []);
}

function claims(market, farm, who) {
  const earned = farm.model.earned(market.world.now, who);
  return farm.rewards.flatMap((token, i) => earned[i] === 0n ? [] : [{
    protocol: farm.protocol,
    contract: farm.address,
    token: token.address,
    amountRaw: earned[i].toString(),
    dollarValue: dollars(market, token, earned[i]),
    to: farm.address,
    from: market.world.accounts[who],
    function: 'getReward',
    data: farm.claimData?.(who) ?? GET_REWARD,
  }]);
}

function harvests(market, chef, who) {
  return chef.pools.flatMap(({ broken }, pid) => broken ? [] : chef.pays(pid, who).flatMap(({ token, amount, later }) => amount === 0n ? [] : [{
    protocol: chef.protocol,
    contract: chef.address,
    pid,
    token: token.address,
    amountRaw: amount.toString(),
    ...(later > 0n && { emissionPerBlockRaw: later.toString() }),
    dollarValue: dollars(market, token, amount),
    to: chef.address,
    from: market.world.accounts[who],
    function: chef.claim,
    data: chef.claimData(pid, who),
  }]));
}

// One claim per reward token, over all in which it was earned.
function incentives(market, lent, who) {
  return lent.rewards.flatMap((token) => {
    const { amount, assets } = lent.earned(token, who);
    return amount === 0n ? [] : [{
      protocol: lent.protocol,
      contract: lent.controller,
      token: token.address,
      amountRaw: amount.toString(),
      dollarValue: dollars(market, token, amount),
      to: lent.controller,
      from: market.world.accounts[who],
      function: 'claimRewards',
      data: lent.claimData(assets, token, who),
    }];
  });
}

function lending(market, lent, who) {
  const { now } = market.world;
  const health = healthFactor(lent.reserves.map(({ model }) => model), now, who);
  return lent.reserves.flatMap(({ token, aToken, debtToken, model }) => [
    { side: 'supply', contract: aToken, amount: model.suppliedBy(now, who), rate: model.liquidityRate },
    { side: 'borrow', contract: debtToken, amount: model.owedBy(now, who), rate: model.debtRate },
  ].filter(({ amount }) => amount > 0n).map(({ side, contract, amount, rate }) => ({
    protocol: lent.protocol,
    pool: lent.pool,
    contract,
    token: token.address,
    amountRaw: amount.toString(),
    rateRay: rate.toString(),
    side,
    ...(health !== null && { healthFactorWad: health.toString() }),
    dollarValue: dollars(market, token, amount),
  })));
}

function holdings({ world, prices }, who) {
  const held = world.list.addresses.filter((address) => world.list.amountOf(address, who) > 0n).sort();
  return held.map((address) => {
    const amount = world.list.amountOf(address, who);
    return {
      token: address,
      amountRaw: amount.toString(),
      price: prices[address] ?? '0',
      dollarValue: dollars({ prices }, world.tokens.get(address), amount),
    };
  });
}

function apr({ world, prices }, { model, rewards, staked }) {
  if (model.total === 0n || [staked, ...rewards].some((token) => !priceOf(prices, token))) return '0';
  const rates = model.ratesAt(world.now);
  const yearly = rewards.map((token, i) => value(prices, token, rates[i] * YEAR_SECONDS)).reduce(add);
  return round(div(yearly, value(prices, staked, model.total)));
}

// Shown only where the chef says what it pays a second, and nobody else pays beside it.
function poolApr({ world, prices }, chef, pid) {
  const { staked, rewarder } = chef.pools[pid];
  if (!chef.perSecond || rewarder || [staked, chef.reward].some((token) => !priceOf(prices, token))) return '0';
  const { alloc, supply } = chef.model.pools[pid];
  const yearly = div(value(prices, chef.reward, chef.perSecond * alloc * YEAR_SECONDS), fraction(chef.model.totalAlloc));
  return round(div(yearly, value(prices, staked, supply)));
}

function dollars({ prices }, token, amount) {
  return priceOf(prices, token) ? round(value(prices, token, amount)) : '0';
}

function value(prices, token, amount) {
  return worth(token, amount, priceOf(prices, token));
}

// The tokens that answers name, the halves of their pairs, and the lairs' shares.
function named(world, accounts) {
  const found = new Set(world.lairs.map((lair) => lair.address));
  for (const { farming, claimables, lending: lent, tokenBalances = [] } of Object.values(accounts)) {
    farming.forEach((row) => [row.stakedToken, ...row.rewardTokens].forEach((address) => found.add(address)));
    [...claimables, ...lent, ...tokenBalances].forEach((row) => found.add(row.token));
  }
  for (const address of [...found]) (world.tokens.get(address).pair ?? []).forEach((half) => found.add(half));
  return Object.fromEntries([...found].sort().map((address) => {
    const { name, symbol, decimals, supply, pair, logo = null } = world.tokens.get(address);
    return [address, { name, symbol, decimals, logo, totalSupplyRaw: supply.toString(), ...(pair && { pair }) }];
  }));
}
