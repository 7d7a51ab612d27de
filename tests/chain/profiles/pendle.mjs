// Chain id 1: Pendle's own contracts: a market that runs, one that has expired, and locks and stakes of PENDLE; wrapped
// assets and factories are doubles. The tests know by arithmetic what its accounts have; see tests/tests/e2e/pendle.rs.
import { getContractAddress } from 'viem';
import { MULTICALL3, initCode } from '../lib/world.mjs';
import { OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;
const ALL = 2n ** 256n - 1n;
const NONE = `0x${'0'.repeat(40)}`;
const TOKEN = 0;
const BRIDGED = 2;
const DAY = 86_400;
const WEEK = 7 * DAY;
const WAITS = 14 * DAY; // What leaves sPENDLE.
const EXPIRY = SNAPSHOT + 100 * DAY;
const EXPIRED = OLD_PERIOD + 30 * DAY;
const LOCKED = (Math.floor(SNAPSHOT / WEEK) + 20) * WEEK;
const UNLOCKED = Math.floor(SNAPSHOT / WEEK) * WEEK;

export const pendle = {
  name: 'pendle',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const { accounts } = world;
    const token = (name, symbol, decimals) => world.deploy('TokenDouble', [name, symbol, decimals]);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const [steth, wsteth] = [token('Staked Ether', 'stETH', 18), token('Wrapped Staked Ether', 'wstETH', 18)];
    const [usdc, ausdc] = [token('USD Coin', 'USDC', 6), token('Aave USDC', 'aUSDC', 6)];
    const [bonus, pendleToken] = [token('Bonus', 'BONUS', 18), token('Pendle', 'PENDLE', 18)];
    const factory = world.deploy('PendleFactoryDouble', [pendleToken, accounts.deployer]);
    const oracle = world.deploy('OracleLib');
    const sy = world.deploy('WrappedAssetDouble', ['SY wstETH', 'SY-wstETH', TOKEN, steth, wsteth, bonus]);
    const syUsdc = world.deploy('WrappedAssetDouble', ['SY aUSDC', 'SY-aUSDC', BRIDGED, usdc, ausdc, NONE]);

    let created = 0n;
    const create = (artifact, args, libraries) => {
      of('PendleFactoryDouble', factory)('deployer', 'create', [initCode(artifact, args, libraries)]);
      created += 1n;
      return getContractAddress({ from: factory, nonce: created }).toLowerCase();
    };
    // A principal and a yield token, and their market.
    const market = (wrapped, name, decimals, expiry) => {
      const names = (kind) => [`${kind} ${name}`, `${kind}-${name}`];
      const pt = create('PendlePrincipalToken', [wrapped, ...names('PT'), decimals, expiry]);
      const yt = create('PendleYieldToken', [wrapped, pt, ...names('YT'), decimals, expiry, false]);
      of('PendleFactoryDouble', factory)('deployer', 'initialize', [pt, yt]);
      const at = create('PendleMarketV7', [pt, 50n * ONE, (ONE * 11n) / 10n, 0n, factory], { OracleLib: oracle });
      return { at, pt, yt };
    };
    const first = market(sy, 'wstETH', 18, EXPIRY);
    const second = market(syUsdc, 'aUSDC', 6, EXPIRED);
    await world.mine();
    const wrap = (to, amount) => of('WrappedAssetDouble', sy)('deployer', 'mint', [to, amount]);
    const mintPY = (yt, [forPt, forYt]) => of('PendleYieldToken', yt)('deployer', 'mintPY', [forPt, forYt]);
    const move = (artifact, at) => (from, to, amount) => of(artifact, at)(from, 'transfer', [to, amount]);

    // At a rate of one: 200 of both tokens, and 400 with 100 in the market for 200 shares.
    wrap(first.yt, 100n * ONE);
    mintPY(first.yt, [accounts.farmer, accounts.farmer]);
    await world.mine();
    wrap(first.yt, 100n * ONE);
    mintPY(first.yt, [first.at, accounts.whale]);
    wrap(first.at, 400n * ONE);
    await world.mine();
    const liquidity = of('PendleMarketV7', first.at);
    liquidity('deployer', 'mint', [accounts.whale, 400n * ONE, 100n * ONE]);
    wrap(accounts.odd, 400n * ONE);
    await world.mine();
    const share = move('PendleMarketV7', first.at);
    share('whale', accounts.exited, 50n * ONE);
    share('whale', accounts.farmer, 40n * ONE);
    move('PendlePrincipalToken', first.pt)('farmer', accounts.dust, 1n);
    move('PendleYieldToken', first.yt)('whale', accounts.exited, 60n * ONE);
    // Of the other asset 50 of both tokens, and a rate of 1.1 when they expire.
    of('WrappedAssetDouble', syUsdc)('deployer', 'mint', [second.yt, 50n * USDC]);
    mintPY(second.yt, [accounts.whale, accounts.whale]);
    await world.at(OLD_PERIOD);
    of('WrappedAssetDouble', syUsdc)('deployer', 'setExchangeRate', [(ONE * 11n) / 10n]);

    // 20 PENDLE for 200 shares, of which 50 leave then; 100 BONUS for 1,000 wrapped; 15 PENDLE for the other 150 shares.
    const reward = (amount) => of('PendleFactoryDouble', factory)('deployer', 'give', [first.at, amount]);
    reward(20n * ONE);
    await world.mine();
    share('exited', first.at, 50n * ONE);
    await world.mine();
    liquidity('exited', 'burn', [accounts.bystander, accounts.bystander, 50n * ONE]);
    await world.mine();
    of('WrappedAssetDouble', sy)('deployer', 'addReward', [100n * ONE]);
    reward(15n * ONE);
    await world.mine();
    of('WrappedAssetDouble', sy)('deployer', 'setExchangeRate', [(ONE * 5n) / 4n]);
    await world.mine();
    move('PendleYieldToken', first.yt)('exited', accounts.whale, 60n * ONE);
    await world.mine();

    // vePENDLE: the farmer's lock runs, the whale's is over, the exited account's was paid.
    const escrow = world.deploy('VotingEscrowPendleMainchain', [pendleToken, accounts.deployer, 0n]);
    const staking = world.deploy('InitializableAdminUpgradeabilityProxy');
    const logic = world.deploy('StakedPendle', [pendleToken]);
    world.send('deployer', staking, 'InitializableAdminUpgradeabilityProxy', 'initialize', [logic, accounts.bystander, '0x']);
    await world.mine();
    const stakes = of('StakedPendle', staking);
    stakes('deployer', 'initialize', [accounts.deployer]);
    await world.mine();
    stakes('deployer', 'setCooldownDurationAndFee', [WAITS, 0n]);
    const give = (who, amount) => {
      of('TokenDouble', pendleToken)('deployer', 'mint', [accounts[who], amount]);
      [escrow, staking].forEach((spender) => of('TokenDouble', pendleToken)(who, 'approve', [spender, ALL]));
    };
    const lock = (who, amount, until) => {
      give(who, amount);
      of('VotingEscrowPendleMainchain', escrow)(who, 'increaseLockPosition', [amount, until]);
    };
    const stake = (who, amount) => {
      give(who, amount);
      stakes(who, 'stake', [amount]);
    };
    lock('farmer', 30n * ONE, LOCKED);
    lock('whale', 12n * ONE, UNLOCKED);
    lock('exited', 5n * ONE, UNLOCKED - 4 * WEEK);
    stake('farmer', 9n * ONE);
    stake('whale', 7n * ONE);
    stake('odd', 4n * ONE);
    stake('exited', 3n * ONE);
    await world.mine();
    stakes('odd', 'cooldown', [4n * ONE]);
    stakes('exited', 'cooldown', [3n * ONE]);
    await world.at(UNLOCKED - 3 * WEEK);
    of('VotingEscrowPendleMainchain', escrow)('exited', 'withdraw');
    stakes('exited', 'finalizeCooldown');
    await world.at(SNAPSHOT - DAY);
    stakes('whale', 'cooldown', [5n * ONE]);
    await world.at(SNAPSHOT);
    const assets = { bonus, pendle: pendleToken, sy, syUsdc, steth, ausdc };
    const pendleContracts = { market: first.at, expired: second.at, pt: first.pt, yt: first.yt, expiredPt: second.pt, escrow, staking };
    const ends = { pt: EXPIRY, expiredPt: EXPIRED, lock: LOCKED, cooldown: SNAPSHOT - DAY + WAITS };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { assets, pendle: pendleContracts, ends } };
  },
};
