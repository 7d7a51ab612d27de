// Chain id 1: Yearn's real registry and vaults of the second generation; doubles of the registry of the third, a vault of it,
// a gauge with its registry, the lock of YFI and a pool that pays for it. The tests know by arithmetic what its accounts
// have; see tests/tests/e2e/yearn.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;
const ALL = 2n ** 256n - 1n;
const DAY = 86_400;
const PERIOD = 14 * DAY;
const RATE = 10n ** 12n; // A second, of the gauge's reward.
const STAKED = SNAPSHOT - 100_000;
const UNLOCK = SNAPSHOT + 700 * DAY;

export const yearn = {
  name: 'yearn',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const { deployer } = world.accounts;
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const token = (name, symbol, decimals) => world.deploy('TokenDouble', [name, symbol, decimals]);
    const usdc = token('USD Coin', 'USDC', 6);
    const dai = token('Dai', 'DAI', 18);
    const yfi = token('yearn.finance', 'YFI', 18);
    const dyfi = token('Discount YFI', 'dYFI', 18);
    const give = (who, coin, to, amount) => {
      of('TokenDouble', coin)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', coin)(who, 'approve', [to, ALL]);
    };

    // The second generation: two vaults of a registry.
    const registry = world.deploy('YearnRegistry');
    const template = world.deploy('YearnVault');
    of('YearnRegistry', registry)('deployer', 'newRelease', [template]);
    [[usdc, 'USDC'], [dai, 'DAI']].forEach(([coin, symbol]) =>
      of('YearnRegistry', registry)('deployer', 'newVault', [coin, deployer, deployer, `${symbol} yVault`, `yv${symbol}`]));
    await world.mine();
    const vaultOf = async (coin) => (await world.view(registry, 'YearnRegistry', 'vaults', [coin, 0n])).toLowerCase();
    const [yvUsdc, yvDai] = [await vaultOf(usdc), await vaultOf(dai)];
    [yvUsdc, yvDai].forEach((vault) => of('YearnVault', vault)('deployer', 'setDepositLimit', [ALL]));
    const deposit = (who, coin, vault, amount) => {
      give(who, coin, vault, amount);
      of('YearnVault', vault)(who, 'deposit', [amount]);
    };

    // The gauge pays `exited`, who is alone and before anybody has locked; it leaves the gauge, and what it has with it.
    const veyfi = world.deploy('VotingYfiDouble', [yfi]);
    const pool = world.deploy('YearnRewardPoolDouble', [dyfi]);
    const gauge = world.deploy('YearnGaugeDouble', [yvUsdc, dyfi, veyfi, pool]);
    const gauges = world.deploy('YearnGaugeRegistryDouble');
    of('YearnGaugeRegistryDouble', gauges)('deployer', 'add', [yvUsdc, gauge]);
    give('deployer', dyfi, gauge, 10n ** 24n);
    const stake = (who, amount) => {
      of('YearnVault', yvUsdc)(who, 'approve', [gauge, ALL]);
      of('YearnGaugeDouble', gauge)(who, 'deposit', [amount]);
    };
    await world.at(OLD_PERIOD);
    deposit('exited', usdc, yvUsdc, 1_000n * USDC);
    stake('exited', 1_000n * USDC);
    of('YearnGaugeDouble', gauge)('deployer', 'queueNewRewards', [BigInt(PERIOD) * RATE]);
    await world.at(OLD_PERIOD + 20 * DAY);
    of('YearnGaugeDouble', gauge)('exited', 'withdraw');
    of('YearnVault', yvUsdc)('exited', 'withdraw');
    await world.mine();

    // 1,000 and 3,000 become 4,400; of that 500 and 1,500 shares are staked, the latter by whoever has locked.
    await world.at(STAKED);
    give('whale', yfi, veyfi, 10n * ONE);
    of('VotingYfiDouble', veyfi)('whale', 'modify_lock', [10n * ONE, BigInt(UNLOCK)]);
    deposit('farmer', usdc, yvUsdc, 1_000n * USDC);
    deposit('whale', usdc, yvUsdc, 3_000n * USDC);
    of('TokenDouble', usdc)('deployer', 'mint', [yvUsdc, 400n * USDC]);
    deposit('dust', dai, yvDai, 1n);
    await world.mine();
    stake('farmer', 500n * USDC);
    stake('whale', 1_500n * USDC);
    of('YearnGaugeDouble', gauge)('deployer', 'queueNewRewards', [BigInt(PERIOD) * RATE]);
    of('TokenDouble', dyfi)('deployer', 'mint', [pool, 3n * ONE]);
    of('YearnRewardPoolDouble', pool)('deployer', 'add', [world.accounts.whale, 3n * ONE]);

    // The third generation: 10 and 20 shares of a vault that holds 45.
    const third = world.deploy('VaultDouble', [dai, 'DAI-1 yVault', 'yvDAI-1']);
    [['farmer', 10n], ['whale', 20n]].forEach(([who, shares]) => of('VaultDouble', third)('deployer', 'mint', [world.accounts[who], shares * ONE]));
    of('TokenDouble', dai)('deployer', 'mint', [third, 45n * ONE]);
    const endorsed = world.deploy('YearnEndorsedDouble');
    of('YearnEndorsedDouble', endorsed)('deployer', 'endorse', [dai, third]);
    await world.at(SNAPSHOT);
    const contracts = { usdc, dai, yfi, dyfi, registry, yvUsdc, yvDai, endorsed, third, gauges, gauge, veyfi, pool };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { yearn: contracts, unlocksAt: UNLOCK } };
  },
};
