// A market of Aave v3 with four reserves: collateral of 6, 8 and 18 decimals, and one that
// is none. Two reward tokens, earned by supply and by debt; one emission is over at the
// snapshot.
import { AaveMarket, terms } from '../lib/aave.mjs';
import { give, newToken } from '../lib/tokens.mjs';
import { NEW_PERIOD, OLD_PERIOD, SETUP, SNAPSHOT } from './times.mjs';

const E18 = 10n ** 18n;
const E8 = 10n ** 8n;
const E6 = 10n ** 6n;
const EVER = SNAPSHOT + 10_000_000;
const OVER = NEW_PERIOD + 600_000;

// `tokens`: { ether, coin, gold, plain } of 18, 6, 8 and 18 decimals, or a promise of them;
// `times` multiplies what is lent and paid, unevenly. What stands where is in the returned
// story once the history is over.
export function planLending(world, { protocol, title, at, times, makeTokens }) {
  const story = {};
  world.plan(SETUP, async () => {
    const { ether, coin, gold, plain } = (story.tokens = await makeTokens());
    story.rewards = [newToken(world, 'Lighthouse', 'LIGHT', 18), newToken(world, 'Beacon', 'BCN', 6)];
    story.rewards.forEach((token) => give(world, token, 'deployer', 10n ** 12n * 10n ** BigInt(token.decimals)));
    story.market = await AaveMarket.create(world, {
      protocol, title, at,
      reserves: [
        { token: ether, price: 2_512n * E8 + 12_345_678n, terms: terms({ optimal: 800, base: 0, slope1: 33, slope2: 800, factor: 1500, ltv: 8000, threshold: 8250 }) },
        { token: coin, price: 99_970_000n, terms: terms({ optimal: 900, base: 5, slope1: 55, slope2: 600, factor: 1000, ltv: 7700, threshold: 8000 }) },
        { token: gold, price: 104_321n * E8 + 1n, terms: terms({ optimal: 450, base: 0, slope1: 70, slope2: 3000, factor: 2000, ltv: 7000, threshold: 7500 }) },
        { token: plain, price: 101_000_000n, terms: terms({ optimal: 700, base: 10, slope1: 45, slope2: 750, factor: 0, ltv: 0, threshold: 0 }) },
      ],
    });
  });

  world.plan(OLD_PERIOD, () => {
    const { market, tokens: { ether, coin, gold, plain }, rewards: [light, beacon] } = story;
    market.supply('whale', coin, times * 2_000_000n * E6 + 1n);
    market.supply('bystander', ether, times * 1_000n * E18);
    market.supply('bystander', gold, 40n * E8);
    market.supply('bystander', plain, times * 900_000n * E18);
    market.emit([
      { token: coin, side: 'supply', reward: light, perSecond: times * 3n * 10n ** 15n + 1n, end: EVER },
      { token: coin, side: 'borrow', reward: light, perSecond: times * 10n ** 15n, end: OVER },
      { token: ether, side: 'supply', reward: beacon, perSecond: times * 1_234n, end: EVER },
      { token: coin, side: 'borrow', reward: beacon, perSecond: 777n + times, end: EVER },
    ]);
  });

  world.plan(OLD_PERIOD + 123_457, () => {
    const { market, tokens: { ether, coin, gold } } = story;
    market.supply('farmer', ether, times * 10n * E18 + 7n);
    market.supply('exited', gold, 2n * E8 + times);
    market.borrow('exited', coin, times * 7_000n * E6 + 3n);
    market.supply('exited', coin, 5_000n * E6);
  });

  world.plan(OLD_PERIOD + 3_000_001, () => {
    const { market, tokens: { ether, coin, plain } } = story;
    market.borrow('farmer', coin, times * 9_000n * E6 + 11n);
    market.borrow('farmer', plain, 1_500n * E18 + times);
    market.borrow('whale', ether, times * 380n * E18 + 5n);
    market.supply('dust', coin, 1n);
  });

  world.plan(NEW_PERIOD + 1_003, () => {
    const { market, tokens: { coin, gold } } = story;
    market.repay('exited', coin, times * 70_000n * E6); // More than is owed.
    market.withdrawAll('exited', coin);
    market.withdrawAll('exited', gold);
    market.repay('farmer', coin, 1_000n * E6);
  });

  world.plan(NEW_PERIOD + 1_500_007, () => {
    const { market, tokens: { gold, plain } } = story;
    market.supply('farmer', gold, 31_337n); // Too little to move the health factor much.
    market.supply('whale', plain, times * 12n * E18);
    market.borrow('bystander', gold, 25n * E8); // Beyond the optimal usage.
  });
  return story;
}

export function lendingContracts({ market }) {
  return { pool: market.pool, dataProvider: market.dataProviders[0], rewardsController: market.controller };
}
