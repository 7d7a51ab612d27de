// Chain id 1: doubles of Maker's vaults, of Sky's staking engine of two branches of Liquity v2 and of
// Dolomite. The tests know by arithmetic what its accounts have; see tests/tests/e2e/cdps.rs.
import { stringToHex } from 'viem';
import { MULTICALL3 } from '../lib/world.mjs';
import { NEW_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const RAY = 10n ** 27n;
const ALL = 2n ** 256n - 1n;
const [ETH, WBTC, SKY] = ['ETH-A', 'WBTC-A', 'LSE-A'].map((name) => stringToHex(name, { size: 32 }));
const PERIOD = 60n * 86_400n;

export const cdps = {
  name: 'cdps',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const token = (name, symbol, decimals = 18) => world.deploy('TokenDouble', [name, symbol, decimals]);
    const [weth, wbtc, dai] = [token('Wrapped Ether', 'WETH'), token('Wrapped BTC', 'WBTC', 8), token('Dai Stablecoin', 'DAI')];
    const [sky, lssky, usds, spk] = [token('SKY Governance', 'SKY'), token('LockstakeSKY', 'lsSKY'), token('USDS', 'USDS'), token('Spark', 'SPK')];
    const [bold, wsteth] = [token('BOLD Stablecoin', 'BOLD'), token('Wrapped staked Ether', 'wstETH')];
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const mint = (who, coin, amount) => of('TokenDouble', coin)('deployer', 'mint', [world.accounts[who], amount]);
    const allow = (who, coin, to) => of('TokenDouble', coin)(who, 'approve', [to, ALL]);

    // Maker. A hundredth a second is the fee of ETH-A, and the others have none.
    const vat = world.deploy('VatDouble');
    const jug = world.deploy('JugDouble', [vat]);
    const ilks = world.deploy('IlkRegistryDouble');
    const manager = world.deploy('CdpManagerDouble', [vat]);
    const lister = world.deploy('GetCdpsDouble');
    const proxies = world.deploy('ProxyRegistryDouble');
    const kind = (ilk, spot, duty) => {
      of('VatDouble', vat)('deployer', 'init', [ilk, spot]);
      of('JugDouble', jug)('deployer', 'init', [ilk, duty]);
    };
    kind(ETH, (10_201n * RAY) / 10n, RAY);
    kind(WBTC, 50_000n * RAY, RAY);
    kind(SKY, RAY / 4n, RAY);
    of('IlkRegistryDouble', ilks)('deployer', 'put', [ETH, weth, 18n]);
    of('IlkRegistryDouble', ilks)('deployer', 'put', [WBTC, wbtc, 8n]);
    of('ProxyRegistryDouble', proxies)('whale', 'build');
    of('ProxyRegistryDouble', proxies)('dust', 'build');
    await world.mine();
    const [whales, dusts] = await world.views(['whale', 'dust'].map((who) => [proxies, 'ProxyRegistryDouble', 'proxies', [world.accounts[who]]]));
    const open = (ilk, owner, ink, art) => of('CdpManagerDouble', manager)('deployer', 'open', [ilk, owner, ink, art]);
    open(ETH, world.accounts.farmer, 10n * ONE, 5_000n * ONE);
    open(WBTC, world.accounts.farmer, 0n, 0n);
    open(WBTC, whales, 2n * ONE + 10n ** 10n, 0n);
    open(ETH, dusts, ONE, 100n * ONE);
    // That proxy belongs to somebody else now, and its vault with it.
    of('ProxyDouble', dusts)('dust', 'setOwner', [world.accounts.bystander]);

    // Sky: the second urn of the account is staked, and owes.
    const engine = world.deploy('LockstakeEngineDouble', [vat, jug, SKY, sky, usds, lssky]);
    const farm = world.deploy('StakingRewards', [world.accounts.deployer, spk, lssky]);
    of('LockstakeEngineDouble', engine)('whale', 'open');
    of('LockstakeEngineDouble', engine)('whale', 'open');
    mint('whale', sky, 1_000n * ONE);
    allow('whale', sky, engine);
    of('LockstakeEngineDouble', engine)('whale', 'lock', [1n, 1_000n * ONE, 100n * ONE, farm]);
    of('TokenDouble', spk)('deployer', 'mint', [farm, PERIOD * 10n ** 12n]);

    // Liquity v2: two branches, of which the row knows the price of one.
    const registry = world.deploy('CollateralRegistryDouble', [bold]);
    const branch = (coin) => {
      const surplus = world.deploy('BranchSurplusDouble', [coin]);
      const operations = world.deploy('BranchOperationsDouble', [surplus]);
      const [pool, nft] = [world.deploy('BoldPoolDouble', [bold, coin]), world.deploy('TroveNFTDouble')];
      const troves = world.deploy('BranchManagerDouble', [nft, pool, operations]);
      of('CollateralRegistryDouble', registry)('deployer', 'add', [coin, troves]);
      return { surplus, operations, pool, nft, troves };
    };
    const [first, second] = [branch(weth), branch(wsteth)];
    const feed = world.deploy('BranchFeedDouble', [1_000n * ONE]);
    const trove = (who, its, id, debt, coll, rate = 0n) => of('BranchManagerDouble', its.troves)(who, 'open', [id, debt, coll, rate]);
    trove('exited', first, 1n << 250n, 5_000n * ONE, 9n * ONE);
    trove('farmer', first, 2n << 250n, 10_000n * ONE, 22n * ONE);
    trove('whale', first, 3n << 250n, 4_000n * ONE, 8n * ONE);
    trove('farmer', second, 4n << 250n, 31_536n * ONE, 50n * ONE, ONE / 20n);
    of('TroveNFTDouble', first.nft)('whale', 'transferFrom', [world.accounts.whale, world.accounts.odd, 3n << 250n]);
    of('BranchManagerDouble', first.troves)('exited', 'close', [1n << 250n]);
    of('BranchSurplusDouble', first.surplus)('deployer', 'accountSurplus', [world.accounts.exited, 3n * ONE]);

    // Deposits of 300 and 100; a quarter is paid for 0.05; the smaller one leaves without its gain.
    const pool = of('BoldPoolDouble', first.pool);
    for (const [who, amount] of [['farmer', 300n], ['odd', 100n]]) {
      mint(who, bold, amount * ONE);
      allow(who, bold, first.pool);
      pool(who, 'provideToSP', [amount * ONE, false]);
    }
    pool('deployer', 'offset', [100n * ONE, ONE / 20n]);
    pool('odd', 'withdrawFromSP', [ALL, false]);
    // Dolomite: one of 2,300 is lent, and 1,000 of one are owed; another account of the same owner is not read.
    const dolomite = world.deploy('DolomiteMarginDouble');
    const balance = (who, number, ...row) => of('DolomiteMarginDouble', dolomite)('deployer', 'set', [{ owner: world.accounts[who], number }, ...row]);
    of('DolomiteMarginDouble', dolomite)('deployer', 'add', [weth, 2_300n, 0n]);
    of('DolomiteMarginDouble', dolomite)('deployer', 'add', [dai, 1n, 10n ** 9n]);
    balance('farmer', 0n, 0n, true, ONE);
    balance('farmer', 0n, 1n, false, 1_000n * ONE);
    balance('whale', 0n, 1n, true, 5n * ONE);
    balance('odd', 7n, 1n, true, 5n * ONE);
    await world.at(NEW_PERIOD);
    of('StakingRewards', farm)('deployer', 'notifyRewardAmount', [PERIOD * 10n ** 12n]);
    pool('deployer', 'setRate', [9n * 10n ** 13n]);
    await world.at(SNAPSHOT - 2);
    of('JugDouble', jug)('deployer', 'init', [ETH, RAY + RAY / 100n]);
    await world.at(SNAPSHOT);

    const assets = { weth, wbtc, dai, sky, usds, spk, bold, wsteth };
    const maker = { manager, lister, ilks, jug, proxies };
    const liquity = { registry, feed, surplus: first.surplus, operations: first.operations, pool: first.pool };
    const seconds = { troves: SNAPSHOT - SETUP, period: SNAPSHOT - NEW_PERIOD };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { maker, sky: { engine, farm }, liquity, dolomite, assets, seconds } };
  },
};
