// Chain id 1: what the templates of plugins and the example of a queue are about, at their real addresses: streams of
// Sablier, positions in a pool of Uniswap v3, and a double of Lido's queue of withdrawals. The tests know by arithmetic
// what its accounts have; see tests/tests/e2e/templates.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const MILLION_S = 1_000_000;
const SABLIER = '0x3962f6585946823440d274ad7c719b02b49de51e';
const FACTORY = '0x1f98431c8ad98523631ae4a59f267346ea31f984';
const POSITIONS = '0xc36442b4a4522e871399cd717abdd847ab11fe88';
const ROUTER = '0xe592427a0aece92de3edee1f18e0157c05861564';
const QUEUE = '0x889edc2edab5f40e902b864ad4d7ade8e412f9b1';
const STETH = '0xae7ab96520de3a18e5e111b5eaab095312d7fe84';
const FEE = 3_000; // Of a million; ticks are multiples of 60.
const PRICE_ONE = 2n ** 96n; // The square root of it.
const RATE_ONE = 10n ** 27n;

export const templates = {
  name: 'templates',
  chainId: 1,
  native: ONE,
  async populate(world) {
    const { deployer } = world.accounts;
    const weth = world.deploy('WETH9');
    const tokens = ['A', 'B'].map((name) => world.deploy('TokenDouble', [`Token ${name}`, `TK${name}`, 18])).sort();
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    await world.place([
      [MULTICALL3, 'Multicall3'],
      [STETH, 'TokenDouble', ['Liquid staked Ether 2.0', 'stETH', 18]],
      [QUEUE, 'WithdrawalQueueDouble', [STETH]],
      [SABLIER, 'SablierV2LockupLinear', [deployer, deployer]],
      [FACTORY, 'UniswapV3Factory'],
      [POSITIONS, 'NonfungiblePositionManager', [FACTORY, weth, deployer]],
      [ROUTER, 'SwapRouter', [FACTORY, weth]],
    ]);
    await world.at(SETUP);
    const own = (who, token, amount, spender) => {
      world.send('deployer', token, 'TokenDouble', 'mint', [world.accounts[who], amount]);
      world.send(who, token, 'TokenDouble', 'approve', [spender, ALL]);
    };
    streams(world, usdc, own);
    await queue(world, own);
    await positions(world, tokens, own);
    await world.at(SNAPSHOT);
    const [token0, token1] = tokens;
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { lockup: SABLIER, manager: POSITIONS, queue: QUEUE, assets: { usdc, token0, token1, steth: STETH } } };
  },
};

// A quarter of the first stream is over at the snapshot, a third of the third; the second has a cliff before it.
function streams(world, usdc, own) {
  const { deployer } = world.accounts;
  const create = (to, totalAmount, [start, cliff, end], cancelable = false) => world.send('deployer', SABLIER, 'SablierV2LockupLinear', 'createWithTimestamps', [{
    sender: deployer, recipient: world.accounts[to], totalAmount, asset: usdc, cancelable, transferable: true,
    timestamps: { start, cliff, end }, broker: { account: deployer, fee: 0n },
  }]);
  const act = (who, name, args) => world.send(who, SABLIER, 'SablierV2LockupLinear', name, args);
  own('deployer', usdc, 10_000n * USDC, SABLIER);
  create('farmer', 1_000n * USDC, [SNAPSHOT - 2.5 * MILLION_S, 0, SNAPSHOT + 7.5 * MILLION_S]);
  create('farmer', 3n * USDC, [SNAPSHOT - MILLION_S, SNAPSHOT + MILLION_S, SNAPSHOT + 2 * MILLION_S]);
  create('whale', 900n * USDC, [SNAPSHOT - MILLION_S, 0, SNAPSHOT + 2 * MILLION_S]);
  create('exited', 7n * USDC, [SETUP, 0, SETUP + 1_000]);
  create('exited', 8n * USDC, [SETUP, 0, SETUP + 1_000]);
  create('exited', 400n * USDC, [SETUP, 0, SETUP + 20_000], true);
  // One that is paid in full is kept, the other one's NFT is burnt; half of the last is paid back to its sender.
  world.plan(SETUP + 2_000, () => [4n, 5n].forEach((id) => act('exited', 'withdrawMax', [id, world.accounts.exited])));
  world.plan(SETUP + 3_000, () => act('exited', 'burn', [5n]));
  world.plan(SETUP + 10_000, () => act('deployer', 'cancel', [6n]));
  world.plan(SETUP + 11_000, () => act('exited', 'transferFrom', [world.accounts.exited, world.accounts.odd, 6n]));
  world.plan(SNAPSHOT - MILLION_S, () => act('farmer', 'withdraw', [1n, world.accounts.farmer, 100n * USDC]));
}

// The first two requests are paid in full, the next two at nine tenths, the last one waits.
async function queue(world, own) {
  const request = (who, amount) => {
    own(who, STETH, amount, QUEUE);
    world.send(who, QUEUE, 'WithdrawalQueueDouble', 'requestWithdrawals', [[amount], world.accounts[who]]);
  };
  const finalize = (last, rate, value) => world.send('deployer', QUEUE, 'WithdrawalQueueDouble', 'finalize', [last, rate], value);
  request('farmer', 10n * ONE);
  request('whale', 7n * ONE);
  request('farmer', 2n * ONE);
  request('exited', ONE);
  request('farmer', 5n * ONE);
  await world.mine();
  finalize(2n, RATE_ONE, 17n * ONE);
  finalize(4n, (RATE_ONE * 9n) / 10n, (27n * ONE) / 10n);
  await world.mine();
  world.send('exited', QUEUE, 'WithdrawalQueueDouble', 'claimWithdrawals', [[4n], [2n]]);
}

// The farmer's position is in range, the whale's below it; what has left the odd one's has not been collected, and the
// exited one's has. One of the first token is swapped; its fee is the farmer's.
async function positions(world, [token0, token1], own) {
  const at = (name, who, args) => world.send(who, POSITIONS, 'NonfungiblePositionManager', name, args);
  at('createAndInitializePoolIfNecessary', 'deployer', [token0, token1, FEE, PRICE_ONE]);
  await world.mine();
  const mint = (who, tickLower, tickUpper) => {
    [token0, token1].forEach((token) => own(who, token, 100n * ONE, POSITIONS));
    at('mint', who, [{
      token0, token1, fee: FEE, tickLower, tickUpper, amount0Desired: 100n * ONE, amount1Desired: 100n * ONE,
      amount0Min: 0n, amount1Min: 0n, recipient: world.accounts[who], deadline: ALL,
    }]);
  };
  const liquidity = async (id) => (await world.view(POSITIONS, 'NonfungiblePositionManager', 'positions', [id]))[7];
  const decrease = async (who, tokenId) => at('decreaseLiquidity', who, [{ tokenId, liquidity: await liquidity(tokenId), amount0Min: 0n, amount1Min: 0n, deadline: ALL }]);
  mint('farmer', -600, 600);
  mint('whale', 600, 1_200);
  mint('odd', 600, 660);
  mint('exited', 600, 660);
  await world.mine();
  await decrease('odd', 3n);
  await decrease('exited', 4n);
  await world.mine();
  at('collect', 'exited', [{ tokenId: 4n, recipient: world.accounts.exited, amount0Max: 2n ** 128n - 1n, amount1Max: 2n ** 128n - 1n }]);
  own('bystander', token0, ONE, ROUTER);
  world.send('bystander', ROUTER, 'SwapRouter', 'exactInputSingle', [{
    tokenIn: token0, tokenOut: token1, fee: FEE, recipient: world.accounts.bystander, deadline: ALL, amountIn: ONE,
    amountOutMinimum: 0n, sqrtPriceLimitX96: 0n,
  }]);
  await world.mine();
}
