// Fails the build where the chain's own views disagree with the models.
import { encodeFunctionData, erc20Abi, maxUint256, pad } from 'viem';
import { healthFactor } from './aave_models.mjs';
import { MULTICALL3 } from './world.mjs';

const GET_CURRENT_BLOCK_TIMESTAMP = '0x0f28c97d';
const GET_BLOCK_NUMBER = '0x42cbb15c';

export async function check(world, { multicall3 }) {
  const rows = [...farmRows(world), ...lairRows(world), ...chefRows(world), ...marketRows(world), ...tokenRows(world), ...listRows(world), ...(world.sources?.checks ?? []), ...(world.checks ?? [])];
  const found = await world.views(rows.map(([call]) => call));
  // Of a call with several outputs `pick` names those that are expected.
  rows.forEach(([[contract, , view, args], expected, pick], i) => {
    const returned = pick ? pick(found[i]) : found[i];
    if (`${returned}` !== `${expected}`) throw new Error(`${view}(${args ?? ''}) of ${contract} is ${returned}, expected ${expected}`);
  });
  await farmsAreListed(world);
  await brokenPoolsRevert(world);
  await failingTokensFail(world);
  if (multicall3) await callsSeeTheLastBlock(world);
}

function farmRows(world) {
  return world.farms.flatMap(({ address, artifact, earned, rates, model }) => [
    [[address, artifact, 'totalSupply'], model.total],
    [[address, artifact, 'periodFinish'], model.finish],
    ...rates.map((view, i) => [[address, artifact, view], model.rewards[i].rate]),
    ...Object.entries(world.accounts).flatMap(([who, account]) => {
      const amounts = model.earned(world.now, who);
      return [
        [[address, artifact, 'balanceOf', [account]], model.stakeOf(who)],
        ...earned.map((view, i) => [[address, artifact, view, [account]], amounts[i]]),
      ];
    }),
  ]);
}

function lairRows(world) {
  return world.lairs.flatMap(({ address, artifact, held, model }) => [
    [[address, artifact, 'totalSupply'], model.supply],
    [[held.address, 'TokenDouble', 'balanceOf', [address]], model.held],
    ...Object.entries(world.accounts).flatMap(([who, account]) => [
      [[address, artifact, 'balanceOf', [account]], model.sharesOf(who)],
      ...(artifact !== 'DragonLairDouble' ? [] : [
        [[address, artifact, 'QUICKBalance', [account]], model.redeems(model.sharesOf(who))],
        [[address, artifact, 'dQUICKForQUICK', [model.sharesOf(who)]], model.redeems(model.sharesOf(who))],
      ]),
    ]),
  ]);
}

function chefRows(world) {
  return world.chefs.flatMap((chef) => [
    [[chef.address, chef.artifact, 'poolLength'], chef.pools.length],
    [[chef.address, chef.artifact, 'totalAllocPoint'], chef.model.totalAlloc],
    ...chef.pools.flatMap(({ rewarder, broken }, pid) => Object.entries(world.accounts).flatMap(([who, account]) => {
      const [base, extra] = broken ? [] : chef.pays(pid, who);
      const stake = [[chef.address, chef.artifact, 'userInfo', [pid, account]], chef.model.stakeOf(pid, who), ([amount]) => amount];
      return broken ? [stake] : [
        stake,
        [[chef.address, chef.artifact, chef.pending, [pid, account]], base.amount],
        ...(rewarder ? [[[rewarder.address, rewarder.constructor.artifact, 'pendingTokens', [pid, account, base.amount]],
          `${extra.token.address},${extra.amount}`, ([tokens, amounts]) => `${tokens},${amounts}`.toLowerCase()]] : []),
      ];
    })),
  ]);
}

function marketRows(world) {
  return world.markets.flatMap((market) => [
    ...market.reserves.flatMap((reserve) => reserveRows(world, market, reserve)),
    ...Object.entries(world.accounts).flatMap(([who, account]) => [
      [[market.pool, 'Pool', 'getUserAccountData', [account]], healthFactor(market.reserves.map(({ model }) => model), world.now, who) ?? maxUint256, (all) => all[5]],
      ...market.rewards.map((reward) => [
        [market.controller, 'RewardsController', 'getUserRewards', [market.incentivised, account, reward.address]], market.earned(reward, who).amount,
      ]),
    ]),
  ]);
}

function reserveRows(world, { dataProviders }, { token, aToken, debtToken, model }) {
  return dataProviders.flatMap((provider) => [
    [[provider, 'AaveProtocolDataProvider', 'getReserveData', [token.address]],
      [model.liquidityRate, model.debtRate, model.liquidityIndex, model.debtIndex], (all) => [all[5], all[6], all[9], all[10]]],
    [[provider, 'AaveProtocolDataProvider', 'getReserveTokensAddresses', [token.address]], [aToken, debtToken], ([a, , debt]) => [a, debt].join().toLowerCase()],
    ...Object.entries(world.accounts).map(([who, account]) => [
      [provider, 'AaveProtocolDataProvider', 'getUserReserveData', [token.address, account]],
      [model.suppliedBy(world.now, who), 0n, model.owedBy(world.now, who), model.debt.of(who), model.liquidityRate, model.collateral.has(who)],
      (all) => [all[0], all[1], all[2], all[4], all[6], all[8]],
    ]),
  ]);
}

// Odd tokens describe themselves in other ways than they are shown; pairs have names of their `own`.
function tokenRows(world) {
  return [...world.tokens.values()].flatMap(({ address, name, symbol, own = { name, symbol }, decimals, supply, ordinary }) => [
    [[address, 'TokenDouble', 'totalSupply'], supply],
    ...(ordinary ? [[[address, 'TokenDouble', 'name'], own.name], [[address, 'TokenDouble', 'symbol'], own.symbol], [[address, 'TokenDouble', 'decimals'], decimals]] : []),
  ]);
}

// The holdings of each account in each token that anybody holds; nobody holds any of the others.
function listRows({ list, tokens, accounts }) {
  if (!list) return [];
  const returned = list.addresses.filter((address) => ![...list.failing, ...list.codeless].includes(address));
  return returned.flatMap((address) => tokens.has(address)
    ? Object.entries(accounts).filter(([who]) => who !== 'deployer')
      .map(([who, account]) => [[address, 'TokenDouble', 'balanceOf', [account]], list.amountOf(address, who)])
    : [[[address, 'TokenDouble', 'totalSupply'], 0n]]);
}

async function failingTokensFail({ list, anvil, accounts }) {
  for (const to of list?.failing ?? []) {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [accounts.odd] });
    const returned = await anvil.rpc('eth_call', { to, data }, 'latest').catch(() => '0x');
    if (returned.length >= 66) throw new Error(`${to} returns a balance`);
  }
}

async function farmsAreListed(world) {
  for (const factory of new Set(world.farms.map((farm) => farm.factory).filter(Boolean))) {
    const artifact = 'StakingRewardsFactory'; // The getter is the same on the dual factory.
    const listed = await world.views(factory.farms.map((_, i) => [factory.address, artifact, 'stakingTokens', [BigInt(i)]]));
    listed.forEach((token, i) => {
      if (token.toLowerCase() !== factory.farms[i].staked.address) throw new Error(`farm ${i} of ${factory.address} is another`);
    });
    const beyond = await world.view(factory.address, artifact, 'stakingTokens', [BigInt(listed.length)]).catch(() => null);
    if (beyond !== null) throw new Error(`${factory.address} lists more than ${listed.length} farms`);
  }
}

async function brokenPoolsRevert(world) {
  for (const { address, artifact, pending, pools } of world.chefs) {
    for (const [pid, { broken }] of pools.entries()) {
      if (!broken) continue;
      const returned = await world.view(address, artifact, pending, [BigInt(pid), world.accounts.farmer]).catch(() => null);
      if (returned !== null) throw new Error(`pool ${pid} of ${address} answers ${returned} though it is broken`);
    }
  }
}

async function callsSeeTheLastBlock(world) {
  for (const [data, expected] of [[GET_CURRENT_BLOCK_TIMESTAMP, world.now], [GET_BLOCK_NUMBER, world.height]]) {
    const seen = await world.anvil.rpc('eth_call', { to: MULTICALL3, data }, 'latest');
    if (seen !== pad(`0x${expected.toString(16)}`)) throw new Error(`calls see ${BigInt(seen)} instead of ${expected}`);
  }
}
