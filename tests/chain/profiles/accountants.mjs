// Chain id 1: doubles of two accountants with the shares of their vaults, of ether and of dollars; the second is paused. The
// tests know by arithmetic what its accounts have; see tests/tests/e2e/accountants.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;

export const accountants = {
  name: 'accountants',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const token = (name, symbol, decimals) => world.deploy('TokenDouble', [name, symbol, decimals]);
    const weth = token('Wrapped Ether', 'WETH', 18);
    const usdc = token('USD Coin', 'USDC', 6);
    const liquid = token('Liquid Ether', 'liquidETH', 18);
    const dollars = token('Liquid Dollars', 'liquidUSD', 6);
    const mint = (share, who, amount) => world.send('deployer', share, 'TokenDouble', 'mint', [world.accounts[who], amount]);
    mint(liquid, 'farmer', 20n * ONE);
    mint(dollars, 'farmer', 500n * USDC);
    mint(liquid, 'whale', 3_000n * ONE);
    mint(dollars, 'dust', 1n);
    const accountant = (share, base, rate) => {
      const at = world.deploy('AccountantDouble', [share, base]);
      world.send('deployer', at, 'AccountantDouble', 'updateExchangeRate', [rate]);
      return at;
    };
    const ofLiquid = accountant(liquid, weth, (ONE * 21n) / 20n);
    const ofDollars = accountant(dollars, usdc, (USDC * 11n) / 10n);
    world.send('deployer', ofDollars, 'AccountantDouble', 'pause');
    await world.at(SNAPSHOT);
    const contracts = { weth, usdc, liquid, dollars, ofLiquid, ofDollars };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { accountants: contracts } };
  },
};
