// Chain id 1: doubles of UNCX' lockers of pairs and of Team Finance's lockers, each in both versions. The tests know by
// arithmetic what its accounts have; see tests/tests/e2e/lockers.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const MILLION_S = 1_000_000;

export const lockers = {
  name: 'lockers',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.at(SETUP);
    const [pair, other, grant] = [['Pair', 'LP'], ['Other Pair', 'OLP'], ['Grant', 'GRT']].map(([name, symbol]) => world.deploy('TokenDouble', [name, symbol, 18]));
    const [pairs, numbered, tokens, former] = ['PairLockerDouble', 'NumberedPairLockerDouble', 'TokenLockerDouble', 'FormerTokenLockerDouble'].map((name) => world.deploy(name));
    for (const token of [pair, other, grant]) {
      world.send('deployer', token, 'TokenDouble', 'mint', [world.accounts.deployer, 10_000n * ONE]);
      [pairs, numbered, tokens, former].forEach((locker) => world.send('deployer', token, 'TokenDouble', 'approve', [locker, ALL]));
    }
    const lockPair = (locker, artifact) => (who, token, amount, end) =>
      world.send('deployer', locker, artifact, 'lockLPToken', [token, amount, end, world.accounts[who]]);
    const lockToken = (locker, artifact) => (who, token, amount, end) =>
      world.send('deployer', locker, artifact, 'lockToken', [token, world.accounts[who], amount, end]);
    // Of the farmer's three in the first version one is over; the lock of the other pair has the number of the first.
    const first = lockPair(pairs, 'PairLockerDouble');
    first('farmer', pair, 100n * ONE, SNAPSHOT + MILLION_S);
    first('whale', pair, 7n * ONE, SNAPSHOT + 3 * MILLION_S);
    first('farmer', pair, 40n * ONE, SNAPSHOT - MILLION_S);
    first('farmer', other, 5n * ONE, SNAPSHOT + 2 * MILLION_S);
    first('exited', other, 6n * ONE, SETUP + 1_000);
    // Of the whale's two one is over, of which it has withdrawn a part.
    const second = lockPair(numbered, 'NumberedPairLockerDouble');
    second('whale', pair, 30n * ONE, SNAPSHOT - MILLION_S);
    second('whale', pair, 60n * ONE, SNAPSHOT + MILLION_S);
    // A lock that ends with the snapshot is over in the one, where another holds an NFT.
    const current = lockToken(tokens, 'TokenLockerDouble');
    current('farmer', grant, 9n * ONE, SNAPSHOT);
    current('farmer', grant, 8n * ONE, SNAPSHOT + 1);
    world.send('deployer', tokens, 'TokenLockerDouble', 'lockNFT', [world.accounts.odd]);
    current('odd', grant, 3n * ONE, SNAPSHOT + MILLION_S);
    const old = lockToken(former, 'FormerTokenLockerDouble');
    old('farmer', grant, 2n * ONE, SNAPSHOT - MILLION_S);
    old('exited', grant, 4n * ONE, SETUP + 1_000);
    world.plan(SETUP + 20_000, () => {
      world.send('exited', pairs, 'PairLockerDouble', 'withdraw', [other, 0n, 1n, 6n * ONE]);
      world.send('exited', former, 'FormerTokenLockerDouble', 'withdrawTokens', [2n]);
    });
    world.plan(SNAPSHOT - 10_000, () => world.send('whale', numbered, 'NumberedPairLockerDouble', 'withdraw', [0n, 10n * ONE]));
    await world.at(SNAPSHOT);
    const more = { lockers: { pairs, numbered, tokens, former }, assets: { pair, other, grant } };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more };
  },
};
