// Fails the build where the chain's own views disagree with the models.
import { pad } from 'viem';
import { MULTICALL3 } from './world.mjs';

const GET_CURRENT_BLOCK_TIMESTAMP = '0x0f28c97d';

export async function check(world, { multicall3 }) {
  const rows = [...farmRows(world), ...lairRows(world), ...tokenRows(world)];
  const found = await world.views(rows.map(([call]) => call));
  rows.forEach(([[contract, , view, args], expected], i) => {
    if (found[i] !== expected) throw new Error(`${view}(${args ?? ''}) of ${contract} is ${found[i]}, expected ${expected}`);
  });
  await farmsAreListed(world);
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
  return world.lairs.flatMap(({ address, model }) => Object.entries(world.accounts).flatMap(([who, account]) => [
    [[address, 'DragonLairDouble', 'balanceOf', [account]], model.sharesOf(who)],
    [[address, 'DragonLairDouble', 'QUICKBalance', [account]], model.redeems(model.sharesOf(who))],
    [[address, 'DragonLairDouble', 'dQUICKForQUICK', [model.sharesOf(who)]], model.redeems(model.sharesOf(who))],
  ]));
}

// What odd tokens say about themselves is not what is told of them.
function tokenRows(world) {
  return [...world.tokens.values()].flatMap(({ address, name, symbol, decimals, supply, ordinary }) => [
    [[address, 'TokenDouble', 'totalSupply'], supply],
    ...(ordinary ? [[[address, 'TokenDouble', 'name'], name], [[address, 'TokenDouble', 'symbol'], symbol], [[address, 'TokenDouble', 'decimals'], decimals]] : []),
  ]);
}

async function farmsAreListed(world) {
  for (const factory of new Set(world.farms.map((farm) => farm.factory))) {
    const artifact = 'StakingRewardsFactory'; // The getter is the same on the dual factory.
    const listed = await world.views(factory.farms.map((_, i) => [factory.address, artifact, 'stakingTokens', [BigInt(i)]]));
    listed.forEach((token, i) => {
      if (token.toLowerCase() !== factory.farms[i].staked.address) throw new Error(`farm ${i} of ${factory.address} is another`);
    });
    const beyond = await world.view(factory.address, artifact, 'stakingTokens', [BigInt(listed.length)]).catch(() => null);
    if (beyond !== null) throw new Error(`${factory.address} lists more than ${listed.length} farms`);
  }
}

async function callsSeeTheLastBlock(world) {
  const seen = await world.anvil.rpc('eth_call', { to: MULTICALL3, data: GET_CURRENT_BLOCK_TIMESTAMP }, 'latest');
  if (seen !== pad(`0x${world.now.toString(16)}`)) throw new Error(`calls see timestamp ${BigInt(seen)} instead of ${world.now}`);
}
