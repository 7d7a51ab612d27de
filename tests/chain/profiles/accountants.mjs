// Chain id 1: doubles of two accountants with the shares of their vaults, of ether and of dollars; the second is paused. And
// doubles of vaults that quote their shares in each other way, of which one has a report that it did not accept. The tests
// know by arithmetic what its accounts have; see tests/tests/e2e/accountants.rs.
import { encodeAbiParameters, getContractAddress, keccak256 } from 'viem';
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
    const priced = world.deploy('PricedDouble', ['Pool of dollars', 'vaUSD', usdc, (USDC * 107n) / 100n]);
    world.send('deployer', priced, 'PricedDouble', 'mint', [world.accounts.farmer, 300n * ONE]);
    const strategy = token('Shares of a strategy', 'strategyETH', 18);
    const nav = world.deploy('NavOracleDouble', []);
    // 1.02 and then 1.04 ether a share, the day before.
    world.send('deployer', nav, 'NavOracleDouble', 'setSubscribeNav', [POOL, BigInt(SETUP) - 172_800n, (ONE * 51n) / 50n]);
    world.send('deployer', nav, 'NavOracleDouble', 'setSubscribeNav', [POOL, BigInt(SETUP) - 86_400n, (ONE * 26n) / 25n]);
    mint(strategy, 'farmer', 50n * ONE);
    const ledger = world.deploy('LedgerDouble', []);
    world.send('deployer', ledger, 'LedgerDouble', 'put', [world.accounts.farmer, usdc, 90n * USDC, 3n * USDC]);
    // A public vault with 100 shares, and a private one; another's stands beside it.
    const vault = (name, ether, dollars) => {
      const at = world.deploy('MetaVaultDouble', [name, weth, usdc]);
      world.send('deployer', weth, 'TokenDouble', 'mint', [at, ether]);
      world.send('deployer', usdc, 'TokenDouble', 'mint', [at, dollars]);
      return at;
    };
    const metaVaults = world.deploy('MetaVaultFactoryDouble', []);
    const [emptied, shared] = [vault('ARRAKIS-0', 0n, 0n), vault('ARRAKIS-1', 10n * ONE, 20_000n * USDC)];
    [emptied, shared].forEach((at) => world.send('deployer', metaVaults, 'MetaVaultFactoryDouble', 'add', [at]));
    mint(shared, 'farmer', 30n * ONE);
    mint(shared, 'whale', 70n * ONE);
    mint(emptied, 'farmer', ONE);
    const [others, own] = [vault('ARRAKIS-2', ONE, 0n), vault('ARRAKIS-3', 2n * ONE, 500n * USDC)];
    [[others, 'whale'], [own, 'farmer']].forEach(([at, who]) =>
      world.send('deployer', metaVaults, 'MetaVaultFactoryDouble', 'addPrivate', [at, world.accounts[who]]),
    );
    const funds = fundsOf(world, usdc, nav);
    await world.at(SNAPSHOT);
    const quoted = { redemption, reports, doubted, units, entry, priced, strategy, nav, ledger, ...funds, metaVaults, shared, own, others };
    const contracts = { weth, usdc, liquid, dollars, ofLiquid, ofDollars, ...quoted };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { accountants: contracts, assets: { weth, usdc } } };
  },
};

// A fund of dollars in which a share was 1.1 and is 1.2. The whale has 50 shares, and 20 that it redeemed at 1.1, of which
// 8.8 dollars are repaid; the dust account has 4 of which nobody knows yet what they are paid with.
function fundsOf(world, usdc, nav) {
  const [slot, closed, opened] = [11n, 12n, 13n];
  const fundMarket = world.deploy('FundMarketDouble', []);
  const fundShares = world.deploy('SftDouble', []);
  const fundRedemptions = world.deploy('FundRedemptionDouble', []);
  const concrete = getContractAddress({ from: fundRedemptions, nonce: 1n });
  const pool = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [fundShares, slot]));
  const of = (artifact, to) => (name, args) => world.send('deployer', to, artifact, name, args);
  of('FundMarketDouble', fundMarket)('createPool', [fundShares, slot, usdc, nav]);
  const value = of('NavOracleDouble', nav);
  value('setSubscribeNav', [pool, BigInt(SETUP) - 172_800n, (USDC * 11n) / 10n]);
  value('setSubscribeNav', [pool, BigInt(SETUP) - 86_400n, (USDC * 12n) / 10n]);
  of('SftDouble', fundShares)('mint', [world.accounts.whale, slot, 50n * ONE]);
  of('SftDouble', fundShares)('mint', [world.accounts.whale, slot, 0n]);
  const kinds = of('FundConcreteDouble', concrete);
  kinds('open', [closed, pool, usdc, ONE / 100n]);
  kinds('open', [opened, pool, usdc, 0n]);
  of('FundRedemptionDouble', fundRedemptions)('mint', [world.accounts.whale, closed, 20n * ONE]);
  of('FundRedemptionDouble', fundRedemptions)('mint', [world.accounts.dust, opened, 4n * ONE]);
  kinds('close', [closed, (USDC * 11n) / 10n]);
  world.send('deployer', usdc, 'TokenDouble', 'mint', [fundRedemptions, (USDC * 88n) / 10n]);
  kinds('repay', [closed, (USDC * 88n) / 10n]);
  return { fundMarket, fundShares, fundRedemptions };
}
