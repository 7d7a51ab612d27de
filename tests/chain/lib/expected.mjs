// Writes down what the service must answer. Every number comes from the models.
import { add, div, fraction, mul, parse, round } from './decimal.mjs';

const YEAR_SECONDS = 31_536_000n;
const GET_REWARD = '0x3d18b912';
const ACCOUNTS = ['farmer', 'whale', 'odd', 'dust', 'nothing', 'exited'];

export function expected(world, { profile, chainId, block, prices, contracts, native }) {
  const market = { world, prices };
  const accounts = Object.fromEntries(ACCOUNTS.map((who) => [who, {
    address: world.accounts[who],
    nativeRaw: native[who].toString(),
    farming: [...world.farms.flatMap((farm) => staking(market, farm, who)), ...world.lairs.flatMap((lair) => sharing(market, lair, who))],
    claimables: world.farms.flatMap((farm) => claims(market, farm, who)),
  }]));
  return { profile, chainId, block, prices, tokens: named(world, accounts), contracts, accounts };
}

function staking(market, farm, who) {
  const amount = farm.model.stakeOf(who);
  if (amount === 0n) return [];
  return [{
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
  const quick = lair.model.redeems(shares);
  return [{
    contract: lair.address,
    vaultType: 'quickswap-dquick',
    stakedToken: lair.quick.address,
    amountRaw: shares.toString(),
    underlyingAmountRaw: quick.toString(),
    rewardTokens: [lair.quick.address],
    dollarValue: dollars(market, lair.quick, quick),
    apr: '0',
  }];
}

function claims(market, farm, who) {
  const earned = farm.model.earned(market.world.now, who);
  return farm.rewards.flatMap((token, i) => earned[i] === 0n ? [] : [{
    contract: farm.address,
    token: token.address,
    amountRaw: earned[i].toString(),
    dollarValue: dollars(market, token, earned[i]),
    to: farm.address,
    from: market.world.accounts[who],
    data: GET_REWARD,
  }]);
}

function apr({ world, prices }, { model, rewards, staked }) {
  if (model.total === 0n || [staked, ...rewards].some((token) => !prices[token.address])) return '0';
  const rates = model.ratesAt(world.now);
  const yearly = rewards.map((token, i) => value(prices, token, rates[i] * YEAR_SECONDS)).reduce(add);
  return round(div(yearly, value(prices, staked, model.total)));
}

function dollars({ prices }, token, amount) {
  return prices[token.address] ? round(value(prices, token, amount)) : '0';
}

function value(prices, { address, decimals }, amount) {
  return mul(fraction(amount, 10n ** BigInt(decimals)), parse(prices[address]));
}

// The tokens that answers name, the halves of their pairs, and the lairs' shares.
function named(world, accounts) {
  const found = new Set(world.lairs.map((lair) => lair.address));
  for (const { farming, claimables } of Object.values(accounts)) {
    farming.forEach((row) => [row.stakedToken, ...row.rewardTokens].forEach((address) => found.add(address)));
    claimables.forEach((row) => found.add(row.token));
  }
  for (const address of [...found]) (world.tokens.get(address).pair ?? []).forEach((half) => found.add(half));
  return Object.fromEntries([...found].sort().map((address) => {
    const { name, symbol, decimals, supply, pair } = world.tokens.get(address);
    return [address, { name, symbol, decimals, totalSupplyRaw: supply.toString(), ...(pair && { pair }) }];
  }));
}
