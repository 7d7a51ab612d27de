// Chain id 1: doubles of masters whose pools are named by tokens, with their locks, of boosters, of vaults that stake, and of
// smaller staking contracts. The tests know by arithmetic what its accounts have; see tests/tests/e2e/others.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const SATS = 10n ** 8n;
const DAY = 86_400;
const WEEK = 7 * DAY;
const NATIVE_IN_POOLS = '0xefefefefefefefefefefefefefefefefefefefef';

export const wrappers = {
  name: 'wrappers',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const names = ['mgp', 'pnp', 'lp', 'bonus', 'pendle', 'eqb', 'ependle', 'crv', 'fxn', 'mlp', 'mcb', 'mux', 'weth', 'arpa', 'looks', 'pls', 'dpx', 'jones', 'sand', 'ern', 'oath'];
    const tokens = Object.fromEntries(names.map((name) => [name, world.deploy('TokenDouble', [name, name.toUpperCase(), 18])]));
    tokens.wbtc = world.deploy('TokenDouble', ['wbtc', 'WBTC', 8]);
    tokens.xeqb = world.deploy('ReceiptDouble', [tokens.eqb]);
    await world.at(SETUP);
    const { farmer, whale, odd, exited } = world.accounts;
    const of = (artifact, to) => (from, name, args = [], value = 0n) => world.send(from, to, artifact, name, args, value);
    const by = (artifact, args, more) => {
      const at = world.deploy(artifact, args, more);
      return [at, (name, args, value) => of(artifact, at)('deployer', name, args, value)];
    };

    // Magpie: a pool whose reward is locked, one whose reward is paid, and the lock. Penpie: a pool and a lock.
    const [magpie, magpies] = by('TokenMasterDouble', [tokens.mgp, true]);
    const [vlMgp] = by('CooldownLockDouble', [magpie, 10 * DAY]);
    magpies('setLock', [vlMgp]);
    magpies('add', [tokens.lp, [tokens.bonus], false]);
    magpies('add', [tokens.looks, [tokens.bonus], true]);
    magpies('add', [vlMgp, [tokens.bonus], false]);
    magpies('set', [tokens.lp, farmer, 40n * ONE, 5n * ONE, [3n * ONE]]);
    magpies('set', [tokens.lp, whale, 60n * ONE, 0n, [0n]]);
    magpies('set', [tokens.looks, farmer, 10n * ONE, 2n * ONE, [0n]]);
    magpies('set', [tokens.looks, exited, 0n, ONE, [4n * ONE]]);
    const locks = of('CooldownLockDouble', vlMgp);
    locks('deployer', 'lockFor', [100n * ONE, farmer]);
    locks('deployer', 'lockFor', [100n * ONE, whale]);
    locks('deployer', 'lockFor', [50n * ONE, odd]);
    magpies('set', [vlMgp, whale, 0n, 8n * ONE, [6n * ONE]]);
    const [penpie, penpies] = by('TokenMasterDouble', [tokens.pnp, false]);
    const [vlPnp] = by('CooldownLockDouble', [penpie, 10 * DAY]);
    penpies('setLock', [vlPnp]);
    penpies('add', [tokens.lp, [tokens.bonus, tokens.pnp], false]);
    penpies('add', [vlPnp, [], false]);
    penpies('set', [tokens.lp, farmer, 7n * ONE, 2n * ONE, [ONE, 5n * ONE]]);

    // Equilibria: a pool, and that of its derivative, whose minter has too little for the whale.
    const [booster, boosters] = by('MarketBoosterDouble', [tokens.pendle, tokens.eqb, tokens.xeqb]);
    const [market, markets] = by('MarketPoolDouble', [booster, tokens.lp, [tokens.pendle, NATIVE_IN_POOLS]]);
    const [derivative, derivatives] = by('MarketPoolDouble', [booster, tokens.ependle, [tokens.pendle]]);
    boosters('addPool', [tokens.lp, market]);
    boosters('setDerivative', [derivative]);
    boosters('fill', [50n * ONE]);
    markets('set', [farmer, 30n * ONE, [10n * ONE, 2n * ONE]]);
    markets('set', [whale, 90n * ONE, [100n * ONE, 0n]]);
    markets('setRate', [tokens.pendle, 11n]);
    derivatives('set', [farmer, 4n * ONE, [0n]]);
    markets('fund', [], 5n * ONE);
    const [weekly, weeklies] = by('WeeklyLockDouble', [tokens.eqb, [tokens.ependle]]);

    // Stake DAO's vault of one gauge, and Convex' vaults of one pool.
    const [accountant, accountants] = by('RewardAccountantDouble', [tokens.crv]);
    const [vault, vaults] = by('RewardVaultDouble', [accountant, tokens.lp, [tokens.bonus, tokens.fxn]]);
    accountants('add', [tokens.dpx, '0x0000000000000000000000000000000000000000']);
    accountants('add', [tokens.lp, vault]);
    accountants('deposit', [vault, farmer, 20n * ONE]);
    accountants('deposit', [vault, exited, 20n * ONE]);
    accountants('harvested', [vault, 8n * ONE]);
    accountants('withdraw', [vault, exited]);
    accountants('harvested', [vault, 2n * ONE]);
    vaults('owe', [farmer, tokens.bonus, 3n * ONE]);
    const [registry, registries] = by('VaultRegistryDouble', []);
    const [personal] = by('PersonalVaultDouble', [farmer, [tokens.fxn, tokens.bonus, tokens.fxn], [2n * ONE, ONE, 3n * ONE]]);
    const gauge = world.deploy('TokenDouble', ['gauge', 'GAUGE', 18]);
    registries('addPool', [gauge, tokens.lp]);
    registries('createVault', [0n, personal]);
    of('TokenDouble', gauge)('deployer', 'mint', [personal, 12n * ONE]);
    of('TokenDouble', gauge)('deployer', 'mint', [whale, 36n * ONE]);

    // MUX: a stake, a lock that runs, and one that is over.
    const [router, routers] = by('MuxRouterDouble', [tokens.mlp, tokens.mcb, tokens.mux, tokens.weth]);
    routers('set', [farmer, 25n * ONE, 5n * ONE, 6n * ONE, SNAPSHOT + DAY, [ONE, 2n * ONE, 3n * ONE, 0n]]);
    routers('set', [whale, 0n, 0n, 9n * ONE, SNAPSHOT, [0n, 0n, 0n, 0n]]);

    // ARPA: a staker with parts that have left, and a node. stakefish: tips, and more than there is.
    const [nodes, node] = by('NodeStakingDouble', [tokens.arpa]);
    node('set', [farmer, 100n * ONE, 7n * ONE, 0n]);
    node('freeze', [farmer, 3n * ONE, SNAPSHOT - DAY]);
    node('freeze', [farmer, 2n * ONE, SNAPSHOT]);
    node('freeze', [farmer, 5n * ONE, SNAPSHOT + DAY]);
    node('set', [whale, 500n * ONE, 0n, 9n * ONE]);
    const [tips, tip] = by('FeePoolDouble', []);
    tip('owe', [farmer, 2n * ONE]);
    tip('owe', [whale, 1_000n * ONE]);
    tip('fund', [], 3n * ONE);

    // LooksRare, PlutusDAO and The Sandbox.
    const [sharing, share] = by('FeeSharingDouble', [[tokens.weth]]);
    share('set', [farmer, 10n * ONE, [ONE]]);
    share('set', [whale, 6n * ONE, [0n]]);
    const [chef, chefs] = by('PlutusChefDouble', [[tokens.pls, tokens.dpx, tokens.jones, tokens.weth]]);
    chefs('set', [farmer, 14n * ONE, [ONE, 0n, 2n * ONE, 3n * ONE]]);
    const [open] = by('EpochLockDouble', [tokens.pls, true]);
    const [shut] = by('EpochLockDouble', [tokens.pls, false]);
    of('EpochLockDouble', open)('farmer', 'stake', [8n * ONE]);
    of('EpochLockDouble', shut)('farmer', 'stake', [9n * ONE]);
    const [pool, pools] = by('EarningPoolDouble', [tokens.sand]);
    pools('set', [farmer, 16n * ONE, 4n * ONE, false]);
    pools('set', [whale, 48n * ONE, 12n * ONE, true]);

    // Ethos: two troves, a deposit and a stake.
    const [troves, trove] = by('CollateralTrovesDouble', [tokens.ern, tokens.looks, tokens.oath, [tokens.wbtc, tokens.weth]]);
    trove('setPrice', [tokens.wbtc, 60_000n * ONE]);
    trove('setPrice', [tokens.weth, 3_000n * ONE]);
    trove('open', [farmer, tokens.wbtc, 10_000n * ONE, SATS]);
    trove('open', [farmer, tokens.weth, 1_000n * ONE, ONE]);
    trove('deposit', [whale, 400n * ONE, [2n * SATS, 0n], 5n * ONE]);
    trove('stake', [farmer, 70n * ONE, [0n, ONE], 6n * ONE]);

    // The lock of a week ends after the snapshot, and the one before it did.
    await world.at(SNAPSHOT - 3 * WEEK);
    of('WeeklyLockDouble', weekly)('farmer', 'lock', [11n * ONE, 1n]);
    of('WeeklyLockDouble', weekly)('farmer', 'lock', [13n * ONE, 9n]);
    weeklies('owe', [farmer, tokens.ependle, ONE]);
    // Of the three redemptions one is over, one ends with the snapshot.
    const receipts = of('ReceiptDouble', tokens.xeqb);
    receipts('deployer', 'mint', [farmer, 20n * ONE]);
    [[4n, 2], [6n, 3], [10n, 24]].forEach(([amount, weeks]) => receipts('farmer', 'redeem', [amount * ONE, weeks * WEEK]));
    // The odd one's cooldown has been over for as long as it lasted.
    await world.at(SNAPSHOT - 20 * DAY);
    locks('odd', 'startUnlock', [25n * ONE]);
    await world.at(SNAPSHOT - 10 * DAY);
    locks('farmer', 'startUnlock', [30n * ONE]);
    locks('farmer', 'startUnlock', [20n * ONE]);
    locks('farmer', 'cancelUnlock', [0n]);
    await world.at(SNAPSHOT - DAY);
    locks('whale', 'startUnlock', [40n * ONE]);
    await world.at(SNAPSHOT);
    const contracts = { magpie, vlMgp, penpie, vlPnp, booster, market, derivative, weekly, accountant, vault, registry, personal, router, nodes, tips, sharing, chef, open, shut, pool, troves };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { assets: tokens, wrappers: contracts } };
  },
};
