// Chain id 1: doubles of two accountants with the shares of their vaults, of ether and of dollars; the second is paused. And
// doubles of vaults that quote their shares in each other way, of which one has a report that it did not accept. The tests
// know by arithmetic what its accounts have; see tests/tests/e2e/accountants.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;
const POOL = `0x${'50'.repeat(32)}`;

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
    const multi = token('Multi-asset dollars', 'multiUSD', 6);
    const redemption = world.deploy('RedemptionDouble', [multi, usdc, (USDC * 103n) / 100n]);
    mint(multi, 'farmer', 200n * USDC);
    // A share of 18 decimals is 1.25 dollars: a dollar of 6 decimals buys 0.8 shares.
    const reports = world.deploy('ReportsDouble', ['coreUSD', usdc]);
    world.send('deployer', reports, 'ReportsDouble', 'report', [8n * 10n ** 29n, false]);
    world.send('deployer', reports, 'ReportsDouble', 'mint', [world.accounts.farmer, 30n * ONE, 10n * ONE]);
    const doubted = world.deploy('ReportsDouble', ['doubtedUSD', usdc]);
    world.send('deployer', doubted, 'ReportsDouble', 'report', [10n ** 30n, true]);
    world.send('deployer', doubted, 'ReportsDouble', 'mint', [world.accounts.whale, 5n * ONE, 0n]);
    const calculator = world.deploy('CalculatorDouble', [usdc, (USDC * 3n) / 2n]);
    const units = world.deploy('UnitsDouble', ['Units', 'unitUSD', calculator]);
    world.send('deployer', units, 'UnitsDouble', 'mint', [world.accounts.farmer, 8n * ONE]);
    const opal = token('Shares beside an entry', 'nOPAL', 6);
    const entry = world.deploy('EntryDouble', [opal, usdc, (USDC * 11n) / 10n]);
    mint(opal, 'farmer', 70n * USDC);
    const strategy = token('Shares of a strategy', 'strategyETH', 18);
    const nav = world.deploy('NavOracleDouble', []);
    // 1.02 and then 1.04 ether a share, the day before.
    world.send('deployer', nav, 'NavOracleDouble', 'setSubscribeNav', [POOL, BigInt(SETUP) - 172_800n, (ONE * 51n) / 50n]);
    world.send('deployer', nav, 'NavOracleDouble', 'setSubscribeNav', [POOL, BigInt(SETUP) - 86_400n, (ONE * 26n) / 25n]);
    mint(strategy, 'farmer', 50n * ONE);
    const ledger = world.deploy('LedgerDouble', []);
    world.send('deployer', ledger, 'LedgerDouble', 'put', [world.accounts.farmer, usdc, 90n * USDC, 3n * USDC]);
    await world.at(SNAPSHOT);
    const quoted = { redemption, reports, doubted, units, entry, strategy, nav, ledger };
    const contracts = { weth, usdc, liquid, dollars, ofLiquid, ofDollars, ...quoted };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { accountants: contracts } };
  },
};
