// Chain id 42161: doubles of GMX' reward trackers and of its vester. One tracker pays its own token, one pays fees and has
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
    await world.at(SNAPSHOT);
    const contracts = { gmxToken, esGmx, weth, stakes, fees, vester };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { gmx: contracts, seconds: { before: LEFT - STAKED, after: SNAPSHOT - LEFT } } };
  },
};
