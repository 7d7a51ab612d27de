// Chain id 10: as ethereum with other amounts, and without Multicall3.
import { populateSmall } from './small.mjs';

export const optimism = {
  name: 'optimism',
  chainId: 10,
  native: 7n * 10n ** 17n,
  populate: (world) => populateSmall(world, { times: 5n, prices: ['0.0423', '1.0003', '1528650.75'] }),
};
