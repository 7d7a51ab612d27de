// Chain id 1: Multicall3 and one ordinary factory.
import { MULTICALL3 } from '../lib/world.mjs';
import { populateSmall } from './small.mjs';

export const ethereum = {
  name: 'ethereum',
  chainId: 1,
  native: 3n * 10n ** 18n,
  async populate(world) {
    const { contracts, prices } = await populateSmall(world, { times: 3n, prices: ['0.0417', '0.9991', '1526483.5'] });
    await world.place([[MULTICALL3, 'Multicall3']]); // Last, so that the other addresses are those of optimism.
    return { contracts: { multicall3: MULTICALL3, ...contracts }, prices };
  },
};
