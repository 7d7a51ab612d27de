// Chain id 1: a double of a market of Compound v3 and of its rewards. The tests know by arithmetic what its accounts have;
// see tests/tests/e2e/comets.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const SUPPLY_RATE = 10n ** 9n; // A second, of 10^18.
const BORROW_RATE = 2n * 10n ** 9n;
const SPEED = 4n * 10n ** 14n; // 0.4 of the reward a second, shared by all that is lent.

export const comets = {
  name: 'comets',
  chainId: 1,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const weth = world.deploy('TokenDouble', ['Wrapped Ether', 'WETH', 18]);
    const wbtc = world.deploy('TokenDouble', ['Wrapped BTC', 'WBTC', 8]);
    const comp = world.deploy('TokenDouble', ['Compound', 'COMP', 18]);
    await world.at(SETUP);
    // Feeds are names of prices here: addresses of nothing else.
    const [usdcFeed, wethFeed, wbtcFeed] = [world.accounts.bystander, weth, wbtc];
    const comet = world.deploy('CometDouble', [usdc, usdcFeed, SUPPLY_RATE, BORROW_RATE, SPEED]);
    const rewards = world.deploy('CometRewardsDouble');
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const [market, owner] = [of('CometDouble', comet), 'deployer'];
    market(owner, 'addAsset', [weth, wethFeed, 85n * ONE / 100n]);
    market(owner, 'addAsset', [wbtc, wbtcFeed, 7n * ONE / 10n]);
    [[usdcFeed, 1n], [wethFeed, 2_000n], [wbtcFeed, 60_000n]].forEach(([feed, dollars]) => market(owner, 'setPrice', [feed, dollars * 10n ** 8n]));
    of('CometRewardsDouble', rewards)(owner, 'setRewardConfig', [comet, comp]);
    of('TokenDouble', comp)(owner, 'mint', [rewards, 10_000_000n * ONE]);
    await world.mine();

    // 1,000 and 3,000 are lent; 500 are owed against two WETH and 0.1 WBTC; one smallest unit of collateral alone.
    const give = (who, token, amount) => {
      of('TokenDouble', token)(owner, 'mint', [world.accounts[who], amount]);
      of('TokenDouble', token)(who, 'approve', [comet, ALL]);
      market(who, 'supply', [token, amount]);
    };
    give('farmer', usdc, 1_000n * USDC);
    give('whale', usdc, 3_000n * USDC);
    give('odd', weth, 2n * ONE);
    give('odd', wbtc, 10n ** 7n);
    give('dust', wbtc, 1n);
    await world.mine();
    market('odd', 'borrow', [500n * USDC]);
    await world.at(SNAPSHOT);
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { comet: { comet, rewards }, assets: { usdc, weth, wbtc, comp }, seconds: SNAPSHOT - SETUP } };
  },
};
