// Chain id 1: managers of concentrated positions, of Uniswap v3 and of both generations of Algebra, each with the same
// history, and a double of Slipstream's. The tests know by arithmetic what its accounts have; see
// tests/tests/e2e/positions.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const MOST = 2n ** 128n - 1n;
const PRICE_ONE = 2n ** 96n; // The square root of it.
const NOBODY = `0x${'0'.repeat(40)}`;
// Algebra's factories and deployers name each other, so that their addresses are chosen.
const at = (digit) => `0x00000000000000000000000000000000000a1e${digit}`;
const ALGEBRA = { factory: at('01'), deployer: at('02') };
const INTEGRAL = { factory: at('03'), deployer: at('04') };

export const positions = {
  name: 'positions',
  chainId: 1,
  native: ONE,
  async populate(world) {
    const { deployer } = world.accounts;
    const weth = world.deploy('WETH9');
    const [token0, token1] = ['A', 'B'].map((name) => world.deploy('TokenDouble', [`Token ${name}`, `TK${name}`, 18])).sort();
    await world.place([
      [MULTICALL3, 'Multicall3'],
      [ALGEBRA.factory, 'AlgebraFactory', [ALGEBRA.deployer]],
      [ALGEBRA.deployer, 'AlgebraPoolDeployer', [ALGEBRA.factory, deployer]],
      [INTEGRAL.factory, 'IntegralFactory', [INTEGRAL.deployer]],
      [INTEGRAL.deployer, 'IntegralPoolDeployer', [INTEGRAL.factory]],
    ]);
    await world.at(SETUP);
    const factory = world.deploy('UniswapV3Factory');
    const algebra = (name, { factory: of, deployer: by }) => ({
      manager: world.deploy(`${name}PositionManager`, [of, weth, deployer, by]),
      router: world.deploy(`${name}SwapRouter`, [of, weth, by]),
    });
    const exchanges = {
      uniswap: { manager: world.deploy('NonfungiblePositionManager', [factory, weth, deployer]), router: world.deploy('SwapRouter', [factory, weth]) },
      algebra: algebra('Algebra', ALGEBRA),
      integral: algebra('Integral', INTEGRAL),
    };
    const names = { uniswap: ['NonfungiblePositionManager', 'SwapRouter'], algebra: ['AlgebraPositionManager', 'AlgebraSwapRouter'], integral: ['IntegralPositionManager', 'IntegralSwapRouter'] };
    // What tells the pools of a pair apart, and what a new pool's plugin is told.
    const keys = { uniswap: { fee: 3_000 }, algebra: {}, integral: { deployer: NOBODY } };
    const last = { uniswap: [], algebra: [], integral: ['0x'] };
    const limits = { uniswap: 'sqrtPriceLimitX96', algebra: 'limitSqrtPrice', integral: 'limitSqrtPrice' };
    for (const [name, { manager, router }] of Object.entries(exchanges)) {
      const [managerName, routerName] = names[name];
      const key = keys[name];
      const send = (who, call, args) => world.send(who, manager, managerName, call, args);
      const own = (who, token, amount, spender) => {
        world.send('deployer', token, 'TokenDouble', 'mint', [world.accounts[who], amount]);
        world.send(who, token, 'TokenDouble', 'approve', [spender, ALL]);
      };
      send('deployer', 'createAndInitializePoolIfNecessary', [token0, token1, ...Object.values(key), PRICE_ONE, ...last[name]]);
      await world.mine();
      const mint = (who, tickLower, tickUpper) => {
        [token0, token1].forEach((token) => own(who, token, 100n * ONE, manager));
        send(who, 'mint', [{
          token0, token1, ...key, tickLower, tickUpper, amount0Desired: 100n * ONE, amount1Desired: 100n * ONE,
          amount0Min: 0n, amount1Min: 0n, recipient: world.accounts[who], deadline: ALL,
        }]);
      };
      // In range; above the price, so that it has the first token alone; two that are emptied.
      mint('farmer', -600, 600);
      mint('whale', 600, 1_200);
      mint('odd', 600, 660);
      mint('exited', 600, 660);
      await world.mine();
      for (const [who, tokenId] of [['odd', 3n], ['exited', 4n]]) {
        const held = await world.view(manager, managerName, 'positions', [tokenId]);
        const liquidity = held[name === 'algebra' ? 6 : 7];
        send(who, 'decreaseLiquidity', [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: ALL }]);
      }
      await world.mine();
      send('exited', 'collect', [{ tokenId: 4n, recipient: world.accounts.exited, amount0Max: MOST, amount1Max: MOST }]);
      // One of the first token is swapped; its fee is the farmer's.
      own('bystander', token0, ONE, router);
      world.send('bystander', router, routerName, 'exactInputSingle', [{
        tokenIn: token0, tokenOut: token1, ...key, recipient: world.accounts.bystander, deadline: ALL, amountIn: ONE,
        amountOutMinimum: 0n, [limits[name]]: 0n,
      }]);
      await world.mine();
    }
    exchanges.slipstream = await slipstream(world, token0, token1);
    exchanges.pairs = await pairs(world, token0, token1);
    await world.at(SNAPSHOT);
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { exchanges, assets: { token0, token1 } } };
  },
};

// A pair of Uniswap v2: the farmer gave 400 and 100, the whale three times as much, and the pair was given one more of
// the first token without a share.
async function pairs(world, token0, token1) {
  const { deployer } = world.accounts;
  const factory = world.deploy('UniswapV2Factory', [deployer]);
  world.send('deployer', factory, 'UniswapV2Factory', 'createPair', [token0, token1]);
  await world.mine();
  const pair = (await world.view(factory, 'UniswapV2Factory', 'getPair', [token0, token1])).toLowerCase();
  const give = (amount0, amount1) => [[token0, amount0], [token1, amount1]].forEach(([token, amount]) => world.send('deployer', token, 'TokenDouble', 'mint', [pair, amount * ONE]));
  for (const [who, times] of [['farmer', 1n], ['whale', 3n]]) {
    give(400n * times, 100n * times);
    world.send(who, pair, 'UniswapV2Pair', 'mint', [world.accounts[who]]);
    await world.mine();
  }
  give(1n, 0n);
  world.send('deployer', pair, 'UniswapV2Pair', 'sync', []);
  await world.mine();
  return { factory, pair };
}

// A position that a price of one stands in, with fees of both tokens, and one that was emptied and owes nothing.
async function slipstream(world, token0, token1) {
  const manager = world.deploy('PositionManagerDouble');
  const pool = world.deploy('ConcentratedPoolDouble');
  world.send('deployer', pool, 'ConcentratedPoolDouble', 'set', [PRICE_ONE, 0, ONE]);
  const send = (call, args) => world.send('deployer', manager, 'PositionManagerDouble', call, args);
  send('setPool', [pool]);
  [[1n, 'farmer', 1_000_000n], [2n, 'exited', 0n]].forEach(([id, who, liquidity]) => {
    send('set', [id, token0, token1, -10_000, 10_000, liquidity * ONE]);
    send('give', [id, world.accounts[who]]);
  });
  send('owe', [1n, 5n, 7n]);
  [token0, token1].forEach((token) => world.send('deployer', token, 'TokenDouble', 'mint', [manager, 100n]));
  await world.mine();
  return { manager };
}
