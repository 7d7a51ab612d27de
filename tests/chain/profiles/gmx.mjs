// Chain id 42161: doubles of GMX' reward trackers, of its vester, of its second version with two markets,
// and of Gains' staking. One tracker pays its own token, one pays fees and has
// given away all that it had.
// The tests know by arithmetic what its accounts have; see tests/tests/e2e/gmx.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const STAKED = SNAPSHOT - 1_000_000;
const LEFT = STAKED + 400_000;
const CLAIMED = LEFT + 200_000;
const YEAR = 31_536_000n;

export const gmx = {
  name: 'gmx',
  chainId: 42161,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const token = (name, symbol) => world.deploy('TokenDouble', [name, symbol, 18]);
    const [gmxToken, esGmx, weth] = [token('GMX', 'GMX'), token('Escrowed GMX', 'esGMX'), token('Wrapped Ether', 'WETH')];
    await world.at(STAKED);
    const tracker = (reward, rate, given) => {
      const distributor = world.deploy('RewardDistributorDouble', [reward, rate]);
      of('TokenDouble', reward)('deployer', 'mint', [distributor, given]);
      return world.deploy('RewardTrackerDouble', [distributor]);
    };
    const stakes = tracker(esGmx, 4n * 10n ** 12n, 1_000n * ONE);
    // It owes 8 · 10^12 a second, and has enough for half of the time.
    const fees = tracker(weth, 8n * 10n ** 12n, 4n * ONE);
    const stake = (who, to, coin, amount) => {
      of('TokenDouble', coin)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', coin)(who, 'approve', [to, ALL]);
      of('RewardTrackerDouble', to)(who, 'stake', [coin, amount]);
    };
    stake('farmer', stakes, gmxToken, 100n * ONE);
    stake('exited', stakes, gmxToken, 100n * ONE);
    stake('whale', stakes, gmxToken, 150n * ONE);
    stake('whale', stakes, esGmx, 50n * ONE);
    stake('odd', fees, gmxToken, 100n * ONE);
    await world.at(LEFT);
    of('RewardTrackerDouble', stakes)('exited', 'unstake', [gmxToken, 100n * ONE]);
    // A thousandth of a token vests each second, for a year.
    const vester = world.deploy('VesterDouble', [esGmx, gmxToken, YEAR]);
    of('TokenDouble', gmxToken)('deployer', 'mint', [vester, 31_536n * ONE]);
    of('TokenDouble', esGmx)('deployer', 'mint', [world.accounts.dust, 31_536n * ONE]);
    of('TokenDouble', esGmx)('dust', 'approve', [vester, ALL]);
    of('VesterDouble', vester)('dust', 'deposit', [31_536n * ONE]);
    await world.at(CLAIMED);
    of('VesterDouble', vester)('dust', 'claim');
    // Gains: a stake of 300 and two vests of 100, one of which ends at once; 50 of a reward for all. A hundredth of a vest
    // is released every 10,000 seconds.
    const gns = world.deploy('TokenDouble', ['Gains Network', 'GNS', 18]);
    const gains = world.deploy('GNSStakingDouble', [gns, [weth, gns]]);
    const gainsBy = of('GNSStakingDouble', gains);
    of('TokenDouble', gns)('deployer', 'mint', [world.accounts.farmer, 500n * ONE]);
    of('TokenDouble', gns)('farmer', 'approve', [gains, ALL]);
    gainsBy('farmer', 'stakeGns', [300n * ONE]);
    gainsBy('farmer', 'createUnlockSchedule', [100n * ONE, 1_000_000n, 0]);
    gainsBy('farmer', 'createUnlockSchedule', [100n * ONE, 1_000_000n, 1]);
    of('TokenDouble', weth)('deployer', 'mint', [world.accounts.deployer, 50n * ONE]);
    of('TokenDouble', weth)('deployer', 'approve', [gains, ALL]);
    gainsBy('deployer', 'distributeReward', [weth, 50n * ONE]);
    // The second version: one market of two tokens, one of a single token, and a vault.
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const store = world.deploy('DataStoreDouble');
    const router = world.deploy('GmxRouterDouble', [store]);
    const [pair, single, vault] = [1, 2, 3].map(() => world.deploy('MarketTokenDouble'));
    const put = (list, ...contracts) => of('DataStoreDouble', store)('deployer', 'put', [list, ...contracts]);
    put('MARKET_LIST', pair, weth, usdc);
    put('MARKET_LIST', single, weth, weth);
    put('GLV_LIST', vault, weth, usdc);
    const owe = (who, market, coin, amount) => {
      of('TokenDouble', coin)('deployer', 'mint', [market, amount]);
      of('DataStoreDouble', store)('deployer', 'owe', [market, coin, world.accounts[who], amount]);
    };
    owe('farmer', pair, weth, 2n * ONE);
    owe('farmer', pair, usdc, 30_000_000n);
    owe('farmer', single, weth, 3n * ONE);
    const trader = world.accounts.farmer;
    of('DataStoreDouble', store)('deployer', 'open', [trader, pair, usdc, 500_000_000n, true]);
    of('DataStoreDouble', store)('deployer', 'open', [trader, pair, usdc, 100_000_000n, false]);
    of('TokenDouble', single)('deployer', 'mint', [trader, 7n * ONE]);
    of('TokenDouble', vault)('deployer', 'mint', [trader, 11n * ONE]);
    await world.at(SNAPSHOT);
    const contracts = { gmxToken, esGmx, weth, stakes, fees, vester, store, router, single, vault };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { gmx: contracts, gains, assets: { gmxToken, esGmx, weth, usdc, gns }, seconds: { before: LEFT - STAKED, after: SNAPSHOT - LEFT } } };
  },
};
