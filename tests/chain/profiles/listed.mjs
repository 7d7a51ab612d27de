// Chain ids 1, 10 and 137 once more, each with a token list of 5,000 tokens and with what
// prices come from. The tokens stand at the same addresses on all three; what accounts hold
// of them differs, so that an answer of the wrong network shows.
import { CODELESS, newFailingTokens, newOddlyHeldTokens } from '../lib/odd_balances.mjs';
import { newOddTokens } from '../lib/odd.mjs';
import { PriceSources } from '../lib/price_sources.mjs';
import { TokenList } from '../lib/token_list.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

// Of Optimism: https://docs.chain.link/data-feeds/l2-sequencer-feeds
const UPTIME_FEED = '0x371ead81c9102c9bf4874a9075ffff170f2ee389';

const TOKENS = 5_000;
const ODD_AMOUNT = 3n;

// Of the clones, who holds the first one and every which after it.
const HELD = { farmer: { first: 5, step: 97 }, whale: { first: 7, step: 89 }, odd: { first: 5, step: 1_000 } };

const NETWORKS = [
  { name: 'ethereum-tokens', chainId: 1, times: 3n, wrapped: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' },
  { name: 'optimism-tokens', chainId: 10, times: 5n, wrapped: '0x4200000000000000000000000000000000000006' },
  { name: 'polygon-tokens', chainId: 137, times: 7n, wrapped: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270' },
];

export const listed = NETWORKS.map((network) => ({
  name: network.name,
  chainId: network.chainId,
  native: network.times * 10n ** 17n,
  populate: (world) => populate(world, network),
}));

async function populate(world, { chainId, times, wrapped }) {
  const list = new TokenList(world);
  await world.at(SETUP);
  holdOddTokens(world, list, times);
  newFailingTokens(world).forEach((address) => list.addFailing(address));
  list.addCodeless(CODELESS);
  await PriceSources.create(world, list, { snapshot: SNAPSHOT, wrapped, times });
  const clones = await list.fill(TOKENS, (number) => (number % 2 ? `https://lists.example/${chainId}/${number}.png` : undefined));
  for (const [who, { first, step }] of Object.entries(HELD)) {
    clones.forEach((token, number) => {
      if (number >= first && (number - first) % step === 0) list.hold(token, who, amountOf(number, token.decimals, times));
    });
  }
  list.hold(clones[11], 'dust', 1n);
  await world.place([[MULTICALL3, 'Multicall3'], ...(chainId === 10 ? [[UPTIME_FEED, 'SequencerDouble']] : [])]);
  await world.at(SNAPSHOT);
  return {
    contracts: { multicall3: MULTICALL3 },
    prices: Object.fromEntries(clones.flatMap(({ address }, number) => (number % 3 ? [[address, priceOf(number, times)]] : []))),
    last: () => world.sources.swap(),
  };
}

// The list describes these tokens in other ways than they describe themselves.
function holdOddTokens(world, list, times) {
  const named = newOddTokens(world).map((token) => [token, ODD_AMOUNT * times]);
  for (const [number, [token, amount]] of [...named, ...newOddlyHeldTokens(world)].entries()) {
    list.add(token, { name: `Odd ${number}`, symbol: `ODD${number}`, decimals: 18 });
    token.decimals ??= 18; // The list's count where the contract has none.
    list.hold(token, 'odd', amount);
  }
}

function amountOf(number, decimals, times) {
  return times * BigInt(number + 1) * 10n ** BigInt(decimals - 2) + BigInt(number);
}

function priceOf(number, times) {
  return `${number % 50}.${String(number).padStart(4, '0')}${times}`;
}
