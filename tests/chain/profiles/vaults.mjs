// Chain id 1: OpenZeppelin's ERC-4626 vault, of which one lends; doubles of Ethena's vault with its cooldowns and of a vault
// of Beefy's. The tests know by arithmetic what its accounts have; see tests/tests/e2e/vaults.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;
const ALL = 2n ** 256n - 1n;
const WEEK = 7 * 86_400;
const WAITS = SNAPSHOT - 1_000; // Its cooldown began then.

export const vaults = {
  name: 'vaults',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const { accounts } = world;
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const usde = world.deploy('TokenDouble', ['USDe', 'USDe', 18]);
    const lp = world.deploy('TokenDouble', ['Pool', 'LP', 18]);
    const savings = world.deploy('SavingsVault', [usdc, 'Savings USDC', 'sUSDC']);
    const lends = world.deploy('SavingsVault', [usdc, 'Pool USDC', 'dUSDC']);
    const staked = world.deploy('CooldownVaultDouble', [usde, 'Staked USDe', 'sUSDe', WEEK]);
    const open = world.deploy('CooldownVaultDouble', [usde, 'Open USDe', 'oUSDe', WEEK]);
    const beefy = world.deploy('BeefyVaultDouble', [lp, 'Moo Pool', 'mooLP']);
    const own = (who, token, to, amount) => {
      of('TokenDouble', token)('deployer', 'mint', [accounts[who], amount]);
      of('TokenDouble', token)(who, 'approve', [to, ALL]);
    };
    const put = (who, artifact, to, token, amount) => {
      own(who, token, to, amount);
      of(artifact, to)(who, 'deposit', artifact === 'SavingsVault' ? [amount, accounts[who]] : [amount]);
    };
    const give = (token, to, amount) => of('TokenDouble', token)('deployer', 'mint', [to, amount]);

    // 1,000 and 3,000 become 4,400; whoever has left has nothing.
    put('farmer', 'SavingsVault', savings, usdc, 1_000n * USDC);
    put('whale', 'SavingsVault', savings, usdc, 3_000n * USDC);
    put('exited', 'SavingsVault', lends, usdc, 5n * USDC);
    put('whale', 'SavingsVault', lends, usdc, 70n * USDC);
    put('dust', 'SavingsVault', lends, usdc, 1n);
    put('farmer', 'CooldownVaultDouble', staked, usde, 100n * ONE);
    put('whale', 'CooldownVaultDouble', staked, usde, 300n * ONE);
    put('exited', 'CooldownVaultDouble', staked, usde, 40n * ONE);
    put('odd', 'CooldownVaultDouble', open, usde, 9n * ONE);
    put('farmer', 'BeefyVaultDouble', beefy, lp, 10n * ONE);
    put('whale', 'BeefyVaultDouble', beefy, lp, 30n * ONE);
    await world.mine();
    give(usdc, savings, 400n * USDC);
    give(lp, beefy, 20n * ONE);
    of('SavingsVault', lends)('exited', 'redeem', [5n * USDC, accounts.exited, accounts.exited]);
    of('CooldownVaultDouble', staked)('exited', 'cooldownShares', [40n * ONE]);
    await world.at(WAITS);
    of('CooldownVaultDouble', staked)('farmer', 'cooldownShares', [60n * ONE]);
    of('CooldownVaultDouble', open)('odd', 'cooldownShares', [9n * ONE]);
    await world.mine();
    of('CooldownVaultDouble', open)('deployer', 'setCooldownDuration', [0]);
    await world.at(SNAPSHOT);
    const contracts = { savings, lends, staked, open, beefy };
    return {
      contracts: { multicall3: MULTICALL3 }, prices: {},
      more: { vaults: contracts, assets: { usdc, usde, lp }, unlocksAt: WAITS + WEEK },
    };
  },
};
