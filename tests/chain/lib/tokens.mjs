// Tokens and pairs: put on the chain, and written down as the service must show them.
import { squareRoot } from './models.mjs';

// Writes a token down. `shown` is { name, symbol, decimals } as the service answers them.
export function register(world, address, shown, more = {}) {
  const token = { address, ...shown, supply: 0n, mintable: true, ordinary: true, ...more };
  world.tokens.set(address, token);
  return token;
}

export function newToken(world, name, symbol, decimals) {
  return register(world, world.deploy('TokenDouble', [name, symbol, decimals]), { name, symbol, decimals });
}

// `to` is an account's name or an address. What cannot be minted, the deployer has.
export function give(world, token, to, amount) {
  const address = world.accounts[to] ?? to;
  world.send('deployer', token.address, 'TokenDouble', token.mintable ? 'mint' : 'transfer', [address, amount]);
  if (token.mintable) token.supply += amount;
}

export function wrap(world, token, amount) {
  world.send('deployer', token.address, 'WETH9', 'deposit', [], amount);
  token.supply += amount;
}

// Real pairs with liquidity; all shares go to the deployer. Rows: [token, amount, token, amount].
export async function newPairs(world, factory, rows) {
  for (const [a, , b] of rows) world.send('deployer', factory, 'UniswapV2Factory', 'createPair', [a.address, b.address]);
  await world.mine();
  const pairs = await world.views(rows.map(([a, , b]) => [factory, 'UniswapV2Factory', 'getPair', [a.address, b.address]]));
  return rows.map(([a, amountA, b, amountB], i) => {
    const address = pairs[i].toLowerCase();
    give(world, a, address, amountA);
    give(world, b, address, amountB);
    world.send('deployer', address, 'UniswapV2Pair', 'mint', [world.accounts.deployer]);
    const halves = [a, b].sort((one, other) => (one.address < other.address ? -1 : 1));
    const [pair, symbols] = [halves.map((half) => half.address), halves.map((half) => half.symbol)];
    // Every pair of the factory calls itself alike.
    const own = { name: 'Uniswap V2', symbol: 'UNI-V2' };
    const shown = { name: `${symbols.join('/')} LP`, symbol: symbols.join('-'), decimals: 18 };
    const token = register(world, address, shown, { mintable: false, pair, own, reserves: [{ half: a, amount: amountA }, { half: b, amount: amountB }] });
    token.supply = squareRoot(amountA * amountB);
    return token;
  });
}
