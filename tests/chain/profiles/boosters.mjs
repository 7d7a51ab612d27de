// Chain id 1: doubles of Convex's booster with three pools and the stake of its locked token, of the stakes of its own
// token and of its locker, and of its booster on other networks with one pool. The tests know by arithmetic what its
// accounts have; see tests/tests/e2e/boosters.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const DAY = 86_400;
const WEEK = 7n * BigInt(DAY);
const SUPPLY = 60_123_456n * ONE; // Of the minted token: 601 of its thousand cliffs are passed.
const OLD = SNAPSHOT - 30 * DAY; // A week of rewards that is over.
const NEW = SNAPSHOT - 4 * DAY; // One that runs.

export const boosters = {
  name: 'boosters',
  chainId: 1,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const owner = 'deployer';
    const token = (name, symbol) => world.deploy('TokenDouble', [name, symbol, 18]);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const give = (what, to, amount) => of('TokenDouble', what)(owner, 'mint', [to, amount]);
    const [crv, ldo, cvxCrv] = [token('Curve DAO Token', 'CRV'), token('Lido DAO Token', 'LDO'), token('Convex CRV', 'cvxCRV')];
    const lps = [token('Curve A', 'crvA'), token('Curve B', 'crvB'), token('Curve C', 'crvC')];
    const cvx = world.deploy('CliffTokenDouble');
    await world.at(SETUP);

    const booster = world.deploy('BoosterDouble', [cvx]);
    const pools = lps.map((lp, pid) => world.deploy('RewardPoolDouble', [booster, BigInt(pid), lp, crv]));
    const lockPool = world.deploy('RewardPoolDouble', [booster, 0n, cvxCrv, crv]);
    const wrapper = world.deploy('StashTokenWrapperDouble');
    const extras = [ldo, wrapper].map((reward) => world.deploy('ExtraRewardDouble', [pools[1], reward]));
    const staking = world.deploy('CvxRewardPoolDouble', [cvx, crv, cvxCrv]);
    const locker = world.deploy('VoteLockerDouble', [cvx]);
    const side = world.deploy('SideBoosterDouble');
    const sideGauge = world.deploy('SideGaugeDouble');
    const sidePool = world.deploy('SideRewardPoolDouble', [lps[0], sideGauge, [crv, cvx, ldo]]);
    await world.mine();
    of('CliffTokenDouble', cvx)(owner, 'mint', [world.accounts.deployer, SUPPLY]);
    of('CliffTokenDouble', cvx)(owner, 'setOperator', [booster]);
    of('StashTokenWrapperDouble', wrapper)(owner, 'init', [cvx, extras[1]]);
    lps.forEach((lp, pid) => of('BoosterDouble', booster)(owner, 'addPool', [lp, pools[pid]]));
    of('BoosterDouble', booster)(owner, 'setLockRewards', [lockPool]);
    of('SideBoosterDouble', side)(owner, 'addPool', [lps[0], sideGauge, sidePool]);
    extras.forEach((extra) => of('RewardPoolDouble', pools[1])(owner, 'addExtraReward', [extra]));
    [crv, cvxCrv].forEach((reward) => of('VoteLockerDouble', locker)(owner, 'addReward', [reward]));
    await world.mine();

    const stake = (who, what, artifact, pool, amount) => {
      if (what === cvx) of('CliffTokenDouble', cvx)(owner, 'transfer', [world.accounts[who], amount]);
      else give(what, world.accounts[who], amount);
      of('TokenDouble', what)(who, 'approve', [pool, ALL]);
      if (artifact === 'VoteLockerDouble') of(artifact, pool)(who, 'lock', [world.accounts[who], amount, 0n]);
      else of(artifact, pool)(who, 'stake', [amount]);
    };
    // A week at this rate; what pays it is there before.
    const reward = (what, to, artifact, pool, perSecond) => {
      if (what === cvx) of('CliffTokenDouble', cvx)(owner, 'transfer', [to, perSecond * WEEK]);
      else give(what, to, perSecond * WEEK);
      of(artifact, pool)(owner, 'notify', [perSecond * WEEK]);
    };
    const lock = (amount) => stake('farmer', cvx, 'VoteLockerDouble', locker, amount);
    lock(100n * ONE); // Over at the snapshot.
    stake('farmer', lps[0], 'RewardPoolDouble', pools[0], 300n * ONE);
    stake('whale', lps[0], 'RewardPoolDouble', pools[0], 100n * ONE);
    stake('farmer', lps[1], 'RewardPoolDouble', pools[1], 50n * ONE);
    stake('whale', lps[2], 'RewardPoolDouble', pools[2], 10n * ONE);
    stake('odd', cvxCrv, 'RewardPoolDouble', lockPool, 8n * ONE);
    stake('odd', cvx, 'CvxRewardPoolDouble', staking, 5n * ONE);
    stake('dust', lps[2], 'RewardPoolDouble', pools[2], 1n);
    stake('exited', lps[0], 'SideRewardPoolDouble', sidePool, 30n * ONE);
    stake(owner, lps[0], 'SideRewardPoolDouble', sidePool, 10n * ONE);

    await world.at(OLD);
    lock(200n * ONE);
    reward(crv, pools[2], 'RewardPoolDouble', pools[2], 10n ** 15n);
    of('BoosterDouble', booster)(owner, 'shutdownPool', [2n]);
    await world.at(NEW);
    lock(300n * ONE);
    await world.mine();
    reward(crv, pools[0], 'RewardPoolDouble', pools[0], 4n * 10n ** 15n);
    [[crv, 4n], [ldo, 2n]].forEach(([what, rate]) => give(what, sideGauge, rate * 10n ** 15n * WEEK));
    of('SideGaugeDouble', sideGauge)(owner, 'start', [[crv, ldo], [4n * 10n ** 15n, 2n * 10n ** 15n]]);
    reward(crv, pools[1], 'RewardPoolDouble', pools[1], 10n ** 15n);
    reward(ldo, extras[0], 'ExtraRewardDouble', extras[0], 2n * 10n ** 15n);
    reward(cvx, wrapper, 'ExtraRewardDouble', extras[1], 3n * 10n ** 15n);
    reward(crv, lockPool, 'RewardPoolDouble', lockPool, 8n * 10n ** 15n);
    reward(crv, staking, 'CvxRewardPoolDouble', staking, 5n * 10n ** 15n);
    give(cvxCrv, staking, 7n); // Lies there for whom claims next.
    [[crv, 6n], [cvxCrv, 12n]].forEach(([what, rate]) => {
      give(what, locker, rate * 10n ** 15n * WEEK);
      of('VoteLockerDouble', locker)(owner, 'notifyRewardAmount', [what, rate * 10n ** 15n * WEEK]);
    });
    await world.at(SNAPSHOT);
    const more = { boosters: { booster, staking, locker, side, sidePool }, pools: [...pools, lockPool], assets: { CRV: crv, LDO: ldo, CVX: cvx, cvxCRV: cvxCrv, crvA: lps[0], crvB: lps[1], crvC: lps[2] } };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more };
  },
};
