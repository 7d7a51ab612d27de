// Chain id 1: Multicall3, one ordinary factory of farms, SushiSwap and Aave v3 at their
// real addresses.
import { register, wrap } from '../lib/tokens.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { lendingContracts, planLending } from './lending.mjs';
import { populateSmall } from './small.mjs';
import { requireChefStory, requireLendingStory } from './story.mjs';
import { SUSHI_AT, planSushi } from './sushi.mjs';

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const WBTC = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599';
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';

const AAVE_AT = {
  provider: '0x2f39d218133afab8f2b819b1066c7e434ad94e9e',
  dataProviders: ['0x0a16f2fcc0d44fae41cc54e079281d84a363becd', '0x7b4eb56e7cd4b454ba8ff71e4518426369a138a3'], // Today's and the first.
  controller: '0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb',
};

const AAVE_POOL = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'; // What that provider makes first, there as here.

export const ethereum = {
  name: 'ethereum',
  chainId: 1,
  native: 3n * 10n ** 18n,
  async populate(world) {
    const sushi = planSushi(world);
    const lent = planLending(world, { protocol: 'aave_v3', title: 'Aave Ethereum Market', at: AAVE_AT, times: 3n, makeTokens: () => placeTokens(world) });
    const { contracts: standing, prices } = await populateSmall(world, { times: 3n, prices: ['0.0417', '0.9991', '1526483.5'] });
    requireChefStory(world, [sushi.v1, sushi.v2]);
    requireLendingStory(world, lent);
    if (lent.market.pool !== AAVE_POOL) throw new Error(`the pool is at ${lent.market.pool}`);
    await world.place([[MULTICALL3, 'Multicall3']]); // Last, so that the other addresses are those of optimism.
    const contracts = { multicall3: MULTICALL3, ...standing, ...SUSHI_AT, ...lendingContracts(lent) };
    return {
      contracts,
      prices: { ...prices, ...sushiPrices(sushi), ...lendingPrices(lent, ['2512.12', '0.9997', '104321', '1.0101', '0.35', '12.5']) },
      settings: settings(contracts),
    };
  },
};

async function placeTokens(world) {
  const rows = [
    [USDC, { name: 'USD Coin', symbol: 'USDC', decimals: 6 }],
    [WBTC, { name: 'Wrapped BTC', symbol: 'WBTC', decimals: 8 }],
    [DAI, { name: 'Dai Stablecoin', symbol: 'DAI', decimals: 18 }],
  ];
  await world.place([[WETH, 'WETH9'], ...rows.map(([address, { name, symbol, decimals }]) => [address, 'TokenDouble', [name, symbol, decimals]])]);
  const ether = register(world, WETH, { name: 'Wrapped Ether', symbol: 'WETH', decimals: 18 }, { mintable: false });
  wrap(world, ether, 1_000_000n * 10n ** 18n);
  const [coin, gold, plain] = rows.map(([address, shown]) => register(world, address, shown));
  return { ether, coin, gold, plain };
}

function sushiPrices({ sushi, coin, extra, lp, plain }) {
  return { [sushi.address]: '0.7431', [coin.address]: '1.25', [extra.address]: '33.3', [lp.address]: '1993421.7', [plain[3].address]: '0.0625' };
}

export function lendingPrices({ tokens: { ether, coin, gold, plain }, rewards }, prices) {
  return Object.fromEntries([ether, coin, gold, plain, ...rewards].map(({ address }, i) => [address, prices[i]]));
}

// The shipped rows that stand here; the plugins ship others that do not.
function settings({ masterChef, masterChefV2, sushi, xsushi, pool, dataProvider, rewardsController }) {
  const of = (protocol, market, keys) => ({ protocol, network: 'ethereum', market, ...keys });
  return {
    sushiswap: {
      deployment: [
        of('sushiswap', 'master-chef', { kind: 'master-chef-v1', chef: masterChef }),
        of('sushiswap', 'master-chef-v2', { kind: 'master-chef-v2', chef: masterChefV2 }),
        of('sushiswap', 'xsushi', { bar: xsushi, staked_token: sushi }),
      ],
    },
    'aave-v3': { deployment: [of('aave_v3', 'main', { pool, data_provider: dataProvider, rewards_controller: rewardsController })] },
  };
}
