// Chain id 1: doubles of a spoke of Aave v4, of ether.fi's contract of debts, of Olympus' Cooler, of USD.AI's vault with its
// queue, of a pool of Gearbox with credit accounts, of River's app and of an alchemist; and vaults of Symbiotic, one of them
// real. The tests know by arithmetic what its accounts have; see tests/tests/e2e/credit.rs.
import { encodeAbiParameters, zeroAddress } from 'viem';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;
const RAY = 10n ** 27n;
const ALL = 2n ** 256n - 1n;
const PERCENT = 10n ** 18n;
const WEEK = 7 * 86_400; // An epoch; the snapshot is in the seventeenth.
const SINCE = SNAPSHOT - 100_000; // A Safe has owed since then.

export const credit = {
  name: 'credit',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const { accounts } = world;
    const token = (name, symbol, decimals = 18) => world.deploy('TokenDouble', [name, symbol, decimals]);
    const [weth, usdc, weeth, usdt, eurc] = [token('Wrapped Ether', 'WETH'), token('USD Coin', 'USDC', 6), token('Wrapped eETH', 'weETH'), token('Tether', 'USDT', 6), token('Euro Coin', 'EURC', 6)];
    const [gohm, usds, usdai] = [token('Governance OHM', 'gOHM'), token('USDS', 'USDS'), token('USDai', 'USDai')];
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const mint = (coin, to, amount) => of('TokenDouble', coin)('deployer', 'mint', [to, amount]);
    const give = (who, coin, amount, spender) => {
      mint(coin, accounts[who], amount);
      if (spender) of('TokenDouble', coin)(who, 'approve', [spender, ALL]);
    };

    // Aave v4: a tenth of ether was earned, two of a hundred dollars; a debt has grown by a twentieth, and so has a premium
    // that bears interest on as much again.
    const hub = world.deploy('HubDouble');
    const spokeAt = world.deploy('SpokeDouble');
    const spoke = of('SpokeDouble', spokeAt);
    of('HubDouble', hub)('deployer', 'setDrawnRate', [8n, (RAY * 3n) / 100n]);
    spoke('deployer', 'addReserve', [weth, hub, 7, 2_000n, 8_000n]);
    spoke('deployer', 'addReserve', [usdc, hub, 8, 10n ** 12n, 7_500n]);
    give('whale', usdc, 100_000n * USDC, spokeAt);
    give('farmer', weth, 10n * ONE, spokeAt);
    give('exited', weth, 5n * ONE, spokeAt);
    spoke('whale', 'supply', [1n, 100_000n * USDC, accounts.whale]);
    spoke('farmer', 'supply', [0n, 10n * ONE, accounts.farmer]);
    spoke('farmer', 'setUsingAsCollateral', [0n, true, accounts.farmer]);
    spoke('exited', 'supply', [0n, 5n * ONE, accounts.exited]);
    spoke('deployer', 'setRiskPremium', [accounts.farmer, 10_000n]);
    await world.mine();
    spoke('farmer', 'borrow', [1n, 4_000n * USDC, accounts.farmer]);
    spoke('exited', 'withdraw', [0n, ALL, accounts.exited]);
    await world.mine();
    spoke('deployer', 'accrue', [0n, (RAY * 11n) / 10n, RAY]);
    spoke('deployer', 'accrue', [1n, (RAY * 102n) / 100n, (RAY * 105n) / 100n]);
    mint(usdc, spokeAt, 10_000n * USDC);

    // Cash: Safes with and without debts, and one whose debts stand elsewhere; the exited account is no Safe.
    const module = world.deploy('CashModuleDouble');
    const provider = world.deploy('CashProviderDouble', [module]);
    const debts = world.deploy('DebtManagerDouble', [provider]);
    const manager = of('DebtManagerDouble', debts);
    for (const who of ['farmer', 'dust', 'odd']) of('CashProviderDouble', provider)('deployer', 'addSafe', [accounts[who]]);
    manager('deployer', 'supportCollateralToken', [weeth, 2_500n * USDC, 75n * PERCENT]);
    manager('deployer', 'supportCollateralToken', [usdt, USDC, 90n * PERCENT]);
    manager('deployer', 'supportCollateralToken', [eurc, (USDC * 5n) / 4n, 0n]);
    manager('deployer', 'supportBorrowToken', [usdt, 10n ** 14n]);
    manager('deployer', 'supportBorrowToken', [eurc, 0n]);
    give('farmer', weeth, 10n * ONE);
    give('dust', weeth, 3n * ONE);
    give('odd', weeth, 4n * ONE);
    give('exited', weeth, ONE);
    of('CashModuleDouble', module)('farmer', 'requestWithdrawal', [weeth, 2n * ONE]);
    of('CashModuleDouble', module)('deployer', 'migrate', [accounts.odd]);
    give('whale', usdt, 900n * USDC, debts);
    manager('whale', 'supply', [accounts.whale, usdt, 900n * USDC]);

    // Cooler: the debt has grown by a quarter.
    const coolerAt = world.deploy('MonoCoolerDouble', [gohm, usds, ONE / 200n, 3_000n * ONE]);
    const cooler = of('MonoCoolerDouble', coolerAt);
    mint(usds, coolerAt, 100_000n * ONE);
    give('farmer', gohm, 3n * ONE, coolerAt);
    give('dust', gohm, ONE, coolerAt);
    cooler('farmer', 'addCollateral', [3n * ONE, accounts.farmer]);
    cooler('dust', 'addCollateral', [ONE, accounts.dust]);
    await world.mine();
    cooler('farmer', 'borrow', [4_500n * ONE, accounts.farmer]);
    cooler('deployer', 'setAccumulator', [(RAY * 5n) / 4n]);

    // USD.AI: six of ten were paid at 1.1, and five of five; shares are worth 1.2 now.
    const vault = world.deploy('RequestVaultDouble', [usdai, 'Staked USDai', 'sUSDai']);
    const queue = of('RequestVaultDouble', vault);
    mint(usdai, vault, 1_000n * ONE);
    give('farmer', vault, 100n * ONE);
    give('whale', vault, 5n * ONE);
    const request = (who, shares, end) => queue(who, 'requestRedeem', [shares, accounts[who], accounts[who], end]);
    request('farmer', 10n * ONE, BigInt(SETUP));
    request('farmer', 20n * ONE, BigInt(SNAPSHOT + 50));
    request('whale', 5n * ONE, BigInt(SETUP));
    queue('deployer', 'setSharePrice', [(ONE * 11n) / 10n]);

    // Gearbox: the farmer owes 6,000 with interest and fees in one account, of whose tokens one does not count, and has
    // another without debt; the pool's only lender has earned nothing yet.
    const poolAt = world.deploy('GearboxPoolDouble', [usdc]);
    const managerAt = world.deploy('GearboxManagerDouble', [poolAt]);
    const compressor = world.deploy('GearboxCompressorDouble');
    const provider310 = world.deploy('GearboxProviderDouble', [compressor]);
    const configurator = world.deploy('GearboxConfiguratorDouble', [[poolAt], [managerAt]]);
    const accountsOf = of('GearboxManagerDouble', managerAt);
    for (const [coin, price, threshold] of [[usdc, 10n ** 12n, 9_000n], [weth, 2_000n, 8_500n], [usdt, 10n ** 12n, 9_000n]]) {
      accountsOf('deployer', 'addToken', [coin, price, threshold]);
    }
    give('dust', usdc, 20_000n * USDC, poolAt);
    of('GearboxPoolDouble', poolAt)('dust', 'deposit', [20_000n * USDC, accounts.dust]);
    for (const who of ['farmer', 'whale', 'farmer']) accountsOf('deployer', 'openCreditAccount', [accounts[who]]);
    give('farmer', weth, 5n * ONE, managerAt);
    give('farmer', usdt, 300n * USDC, managerAt);
    give('whale', weth, ONE, managerAt);
    await world.mine();
    accountsOf('farmer', 'addCollateral', [0n, weth, 4n * ONE, true]);
    accountsOf('farmer', 'addCollateral', [0n, usdt, 300n * USDC, false]);
    accountsOf('farmer', 'addCollateral', [2n, weth, ONE, true]);
    accountsOf('whale', 'addCollateral', [1n, weth, ONE, true]);
    accountsOf('farmer', 'increaseDebt', [0n, 5_800n * USDC]);
    accountsOf('deployer', 'accrue', [0n, 150n * USDC, 50n * USDC]);
    mint(usdc, poolAt, 1_000n * USDC);
    const indebted = async (place) => (await world.view(managerAt, 'GearboxManagerDouble', 'creditAccounts'))[place].toLowerCase();

    // River: the debts at the first manager have grown by a tenth; the farmer's trove at the second was redeemed, and a
    // tenth of his deposit was used up, for collateral of both.
    const satusd = token('satUSD', 'satUSD');
    const wbtc = token('Wrapped BTC', 'WBTC', 8);
    const app = world.deploy('TroveAppDouble', [satusd]);
    const troves = (coin, rate, price) => world.deploy('ListedTroveManagerDouble', [coin, satusd, (ONE * 6n) / 5n, rate, price * ONE]);
    const [ofWeth, ofWbtc] = [troves(weth, RAY / 10n ** 9n, 3_000n), troves(wbtc, 0n, 60_000n)];
    const river = of('TroveAppDouble', app);
    await world.mine();
    for (const manager of [ofWeth, ofWbtc]) river('deployer', 'add', [manager]);
    for (const [who, coin, amount, manager, debt] of [
      ['farmer', weth, 4n * ONE, ofWeth, 5_000n * ONE],
      ['whale', weth, 10n * ONE, ofWeth, 1_000n * ONE],
      ['farmer', wbtc, 10n ** 8n, ofWbtc, 20_000n * ONE],
      ['dust', wbtc, 5n * 10n ** 7n, ofWbtc, 12_500n * ONE],
    ]) {
      give(who, coin, amount, manager);
      of('ListedTroveManagerDouble', manager)(who, 'openTrove', [amount, debt]);
    }
    of('ListedTroveManagerDouble', ofWeth)('deployer', 'accrue', [(RAY * 11n) / 10n]);
    of('ListedTroveManagerDouble', ofWbtc)('deployer', 'redeem', [accounts.farmer, 6n * 10n ** 7n]);
    of('TokenDouble', satusd)('farmer', 'approve', [app, ALL]);
    of('TokenDouble', satusd)('whale', 'approve', [ofWeth, ALL]);
    river('farmer', 'provideToSP', [2_000n * ONE]);
    river('deployer', 'offset', [accounts.farmer, 200n * ONE, 0n, ONE / 10n]);
    river('deployer', 'offset', [accounts.farmer, 0n, 1n, 10n ** 5n]);
    mint(weth, app, ONE);
    mint(wbtc, app, 10n ** 8n);
    mint(satusd, accounts.whale, 1_000n * ONE);

    // Alchemix: of the farmer's 3 alETH a half was redeemed with half a share; shares are worth 1.2 now. The dust has shares.
    const aleth = token('Alchemix ETH', 'alETH');
    const mixed = world.deploy('MixedYieldDouble', [weth]);
    const alchemistAt = world.deploy('AlchemistDouble', [mixed, aleth]);
    const alchemist = of('AlchemistDouble', alchemistAt);
    give('farmer', mixed, 6n * ONE, alchemistAt);
    give('whale', mixed, 2n * ONE, alchemistAt);
    give('dust', mixed, 5n * ONE);
    alchemist('farmer', 'deposit', [5n * ONE + ONE / 2n, accounts.farmer]);
    alchemist('whale', 'deposit', [2n * ONE, accounts.whale]);
    await world.mine();
    alchemist('farmer', 'mint', [1n, 3n * ONE, accounts.farmer]);
    alchemist('deployer', 'redeem', [1n, ONE / 2n, ONE / 2n]);
    of('MixedYieldDouble', mixed)('deployer', 'setSharePrice', [(ONE * 6n) / 5n]);
    mint(weth, mixed, 20n * ONE);

    // Symbiotic: of the farmer's ten, two have left and were claimed, one can be claimed, and three wait; the whale's five are
    // of an epoch that is long over.
    const wsteth = token('Wrapped staked Ether', 'wstETH');
    const factory = world.deploy('SymbioticVaultFactory', [accounts.deployer]);
    const code = world.deploy('SymbioticVault', [accounts.deployer, accounts.deployer, factory]);
    const vaults = of('SymbioticVaultFactory', factory);
    vaults('deployer', 'whitelist', [code]);
    vaults('deployer', 'create', [1n, zeroAddress, terms(wsteth)]);
    await world.mine();
    const restaking = (await world.view(factory, 'SymbioticVaultFactory', 'entity', [0n])).toLowerCase();
    const stakes = of('SymbioticVault', restaking);
    for (const [who, amount] of [['farmer', 10n], ['whale', 30n]]) {
      give(who, wsteth, amount * ONE, restaking);
      stakes(who, 'deposit', [accounts[who], amount * ONE]);
    }
    const leaves = async (epoch, who, amount) => {
      await world.at(SETUP + epoch * WEEK + 10);
      stakes(who, 'withdraw', [accounts[who], amount]);
    };
    await leaves(2, 'whale', 5n * ONE);
    await leaves(12, 'farmer', 2n * ONE);
    await leaves(13, 'farmer', ONE);
    await world.at(SETUP + 14 * WEEK + 10);
    stakes('farmer', 'claim', [accounts.farmer, 13n]);
    await leaves(15, 'farmer', 3n * ONE);
    const shares = world.deploy('RestakingSharesDouble', [usdc, (ONE * 11n) / 10n]);
    const collateral = world.deploy('DefaultCollateralDouble', [wsteth]);
    mint(shares, accounts.dust, 100n * USDC);
    mint(collateral, accounts.dust, 7n * ONE);

    await world.at(SINCE);
    stakes('farmer', 'withdraw', [accounts.farmer, ONE / 2n]);
    queue('deployer', 'serviceRedemption', [1n, 6n * ONE]);
    queue('deployer', 'serviceRedemption', [3n, 5n * ONE]);
    manager('farmer', 'borrow', [usdt, 5_000n * USDC]);
    manager('farmer', 'borrow', [eurc, 2_000n * USDC]);
    await world.mine();
    queue('deployer', 'setSharePrice', [(ONE * 6n) / 5n]);
    await world.at(SNAPSHOT);
    const gearbox = { provider: provider310, configurator, pool: poolAt, manager: managerAt, first: await indebted(0), second: await indebted(2) };
    const credit = { spoke: spokeAt, debts, cooler: coolerAt, vault, restaking, shares, collateral, gearbox, alchemix: { alchemist: alchemistAt, vault: mixed }, river: { app, ofWeth, ofWbtc } };
    const assets = { weth, usdc, weeth, usdt, eurc, gohm, usds, usdai, wsteth, satusd, wbtc, aleth, mixed };
    const ends = { ready: SETUP, waits: SNAPSHOT + 50, epochs: [17, 18].map((epoch) => SETUP + epoch * WEEK) };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { credit, assets, ends } };
  },
};

// Of a vault of one token that anybody may enter; nobody has a role.
function terms(collateral) {
  const types = ['address', 'address', 'uint48', 'bool', 'bool', 'uint256', 'address', 'address', 'address', 'address', 'address'];
  const values = [collateral, zeroAddress, WEEK, false, false, 0n, zeroAddress, zeroAddress, zeroAddress, zeroAddress, zeroAddress];
  return encodeAbiParameters(types.map((type) => ({ type })), values);
}
