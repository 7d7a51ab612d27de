// Transactions that `bystander` sends for the sake of their events: it makes a pair of two tokens that have no price,
// swaps in it, takes half of its shares back, all through the router, and claims what a farm owes it. Nobody's answers
// change by it.
//
// A row says how the log is found and what the event is: its members raw, tokens by their addresses.
import { getCreate2Address, keccak256, encodePacked, pad, toEventSelector } from 'viem';
import { artifacts } from '../lib/artifacts.mjs';
import { squareRoot } from '../lib/models.mjs';
import { give } from '../lib/tokens.mjs';

const E18 = 10n ** 18n;
const WHO = 'bystander';
const FOR_EVER = 2n ** 256n - 1n;
const MINIMUM_LIQUIDITY = 1_000n; // Shares that the pair keeps: https://docs.uniswap.org/contracts/v2/concepts/core-concepts/pools
const HELD = [3_000n * E18, 7_000n * E18]; // In the order of the pair's tokens.
const SOLD = 12n * E18 + 345n;

export async function trade(world, { pairFactory, router }, farm, both) {
  const account = world.accounts[WHO];
  const tokens = [...both].sort((one, other) => (one.address < other.address ? -1 : 1));
  const addresses = tokens.map(({ address }) => address);
  const pair = pairAddress(pairFactory, addresses);
  const approve = (token, artifact, amount) => world.send(WHO, token, artifact, 'approve', [router, amount]);

  give(world, tokens[0], WHO, HELD[0] + SOLD);
  give(world, tokens[1], WHO, HELD[1]);
  approve(addresses[0], 'TokenDouble', HELD[0] + SOLD);
  approve(addresses[1], 'TokenDouble', FOR_EVER);
  world.send(WHO, router, 'UniswapV2Router02', 'addLiquidity', [...addresses, ...HELD, 0n, 0n, account, FOR_EVER]);
  world.send(WHO, router, 'UniswapV2Router02', 'swapExactTokensForTokens', [SOLD, 0n, addresses, account, FOR_EVER]);
  const shares = squareRoot(HELD[0] * HELD[1]);
  const back = (shares - MINIMUM_LIQUIDITY) / 2n;
  approve(pair, 'UniswapV2Pair', back);
  world.send(WHO, router, 'UniswapV2Router02', 'removeLiquidity', [...addresses, back, 0n, 0n, account, FOR_EVER]);
  const [claimed] = farm.claim(WHO);
  await world.mine();

  // 0.3 % of what is sold stays in the pair.
  const bought = (SOLD * 997n * HELD[1]) / (HELD[0] * 1_000n + SOLD * 997n);
  const reserves = [HELD[0] + SOLD, HELD[1] - bought];
  const assets = reserves.map((reserve, i) => ({ asset: addresses[i], amountRaw: ((back * reserve) / shares).toString() }));
  const added = HELD.map((amount, i) => ({ asset: addresses[i], amountRaw: amount.toString() }));
  const event = (what, emitter, log, indexed, type, protocol, metadata) =>
    ({ what, emitter, topics: [toEventSelector(log), ...indexed.map((topic) => topic && pad(topic))], type, protocol, metadata });
  return [
    event('approval', addresses[0], 'Approval(address,address,uint256)', [account, router], 'APPROVAL', null,
      { owner: account, spender: router, asset: addresses[0], amountRaw: (HELD[0] + SOLD).toString() }),
    event('unlimited approval', addresses[1], 'Approval(address,address,uint256)', [account, router], 'APPROVAL', null,
      { owner: account, spender: router, asset: addresses[1], amountRaw: FOR_EVER.toString() }),
    event('liquidity added', pair, 'Mint(address,uint256,uint256)', [router], 'ADD_LIQUIDITY', 'quickswap',
      { user: router, pool: pair, assets: added }),
    event('swap', pair, 'Swap(address,uint256,uint256,uint256,uint256,address)', [router, account], 'SWAP', 'quickswap', {
      user: router, recipient: account, pool: pair,
      fromToken: addresses[0], fromAmountRaw: SOLD.toString(), toToken: addresses[1], toAmountRaw: bought.toString(),
    }),
    event('liquidity removed', pair, 'Burn(address,uint256,uint256,address)', [router, account], 'REMOVE_LIQUIDITY', 'quickswap',
      { user: router, recipient: account, pool: pair, assets }),
    event('claim', farm.address, 'RewardPaid(address,uint256)', [account], 'CLAIM', 'quickswap',
      { user: account, asset: farm.rewards[0].address, amountRaw: claimed.toString(), contract: farm.address }),
  ];
}

function pairAddress(from, [token0, token1]) {
  const salt = keccak256(encodePacked(['address', 'address'], [token0, token1]));
  return getCreate2Address({ from, salt, bytecodeHash: keccak256(artifacts.UniswapV2Pair.bytecode) }).toLowerCase();
}
