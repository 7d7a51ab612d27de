// Chain id 1: doubles of chefs whose pending views return more than an amount, of one that pays what it was given, of a
// chef of positions, and of other stakes. The tests know by arithmetic what its accounts have; see tests/tests/e2e/chefs.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const E18 = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const SECONDS = BigInt(SNAPSHOT - SETUP);
const PER_SECOND = 4n * 10n ** 12n; // Of every chef.
const YEAR = 31_536_000n;

export const chefs = {
  name: 'chefs',
  chainId: 1,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const token = (name, symbol) => world.deploy('TokenDouble', [name, symbol, 18]);
    const tokens = {
      stg: token('Stargate', 'STG'), joe: token('Joe', 'JOE'), alb: token('Alien', 'ALB'), cake: token('Cake', 'CAKE'),
      grail: token('Grail', 'GRAIL'), xgrail: token('Restricted Grail', 'XGRAIL'), pol: token('Polygon', 'POL'),
      bonus: token('Bonus', 'BNS'), usdc: token('Fees', 'FEES'), beets: token('Beets', 'BEETS'), one: token('Share 1', 'ONE'), two: token('Share 2', 'TWO'),
    };
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const mint = (symbol, to, amount) => of('TokenDouble', tokens[symbol])('deployer', 'mint', [to, amount]);
    const spend = (who, symbol, to, amount) => {
      mint(symbol, world.accounts[who], amount);
      of('TokenDouble', tokens[symbol])(who, 'approve', [to, ALL]);
    };

    // Of each chef's two pools the first has one point of four. In it the farmer has 10 of 40, in the second the whale all.
    const chef = (artifact, reward) => {
      const at = world.deploy(artifact, [tokens[reward], PER_SECOND]);
      const send = of(artifact, at);
      send('deployer', 'add', [1n, tokens.one]);
      send('deployer', 'add', [3n, tokens.two]);
      return { at, send };
    };
    const stake = ({ at, send }) => {
      [['farmer', 'one', 0n, 10n], ['whale', 'one', 0n, 30n], ['whale', 'two', 1n, 5n]].forEach(([who, symbol, pid, amount]) => {
        spend(who, symbol, at, amount * E18);
        send(who, 'deposit', [pid, amount * E18]);
      });
    };
    const [lpStaking, bonusChef, listsChef] = [chef('LPStakingTimeDouble', 'stg'), chef('BonusChefDouble', 'joe'), chef('ListsChefDouble', 'alb')];
    bonusChef.send('deployer', 'setBonus', [0n, tokens.bonus]);
    [0n, 1n].forEach((pid) => listsChef.send('deployer', 'setBonus', [pid, tokens.bonus]));
    listsChef.send('deployer', 'setInterval', [1n, YEAR]); // Its end is after the snapshot.
    mint('stg', lpStaking.at, PER_SECOND * SECONDS / 2n); // Less than the second pool is owed.
    mint('joe', bonusChef.at, PER_SECOND * SECONDS);
    mint('alb', listsChef.at, PER_SECOND * SECONDS);
    [bonusChef, listsChef].forEach(({ at }) => mint('bonus', at, PER_SECOND * SECONDS));

    const beetsChef = { at: world.deploy('BeethovenxMasterChefDouble', [tokens.beets, 1_000n * PER_SECOND]) };
    beetsChef.send = of('BeethovenxMasterChefDouble', beetsChef.at);
    const beetsRewarder = world.deploy('BeetsRewarderDouble', [tokens.bonus]);
    [[1n, 'one', beetsRewarder], [3n, 'two', `0x${'0'.repeat(40)}`]].forEach(([points, symbol, rewarder]) =>
      beetsChef.send('deployer', 'add', [points, tokens[symbol], rewarder]));
    mint('beets', beetsChef.at, 1_000n * PER_SECOND);
    mint('bonus', beetsRewarder, 1_000n * PER_SECOND);

    const positionChef = world.deploy('PositionChefDouble', [tokens.cake, PER_SECOND, tokens.one, tokens.two]);
    mint('cake', positionChef, PER_SECOND * SECONDS);
    const master = world.deploy('NFTPoolMasterDouble');
    const pools = ['one', 'two'].map((symbol) => world.deploy('NFTPoolDouble', [tokens[symbol], tokens.grail, tokens.xgrail, PER_SECOND]));
    const nftPoolFactory = world.deploy('NFTPoolFactoryDouble');
    const nitroFactory = world.deploy('NitroPoolFactoryDouble');
    // Both pay the same; the first takes NFTs of the second pool, the second pays nobody yet.
    const nitro = (pool, harvestFrom) => world.deploy('NitroPoolDouble', [pool, tokens.bonus, tokens.usdc, PER_SECOND, BigInt(SETUP) + YEAR, harvestFrom]);
    const nitroPools = [nitro(pools[1], 0n), nitro(pools[0], BigInt(SETUP) + YEAR)];
    const joeStaking = world.deploy('StableJoeStakingDouble', [tokens.joe, [tokens.usdc, tokens.joe]]);
    const manager = world.deploy('StakeManagerDouble');
    const shares = [1, 2].map(() => world.deploy('ValidatorShareDouble', [tokens.pol, manager]));
    await world.mine();

    [lpStaking, bonusChef, listsChef].forEach(stake);
    stake({ at: beetsChef.at, send: (who, name, [pid, amount]) => beetsChef.send(who, name, [pid, amount, world.accounts[who]]) });
    // The farmer has a quarter of the liquidity, and a position whose liquidity was taken out.
    [['farmer', 7n, 10n], ['farmer', 9n, 0n], ['whale', 11n, 30n]].forEach(([who, id, liquidity]) =>
      of('PositionChefDouble', positionChef)('deployer', 'give', [world.accounts[who], id, liquidity * E18]));
    of('PositionChefDouble', positionChef)('deployer', 'owe', [7n, 3n * E18, 0n]); // Fees of the farmer's, in the first token.
    mint('one', positionChef, 3n * E18);
    pools.forEach((pool, place) => {
      of('NFTPoolMasterDouble', master)('deployer', 'add', [pool]);
      ['grail', 'xgrail'].forEach((symbol) => mint(symbol, pool, PER_SECOND * SECONDS));
      of('NFTPoolFactoryDouble', nftPoolFactory)('deployer', 'add', [pool]);
      const position = (who, amount, lock) => {
        spend(who, ['one', 'two'][place], pool, amount);
        of('NFTPoolDouble', pool)(who, 'createPosition', [amount, lock]);
      };
      if (place === 0) [['farmer', 10n * E18, YEAR], ['farmer', 10n * E18, 1n], ['whale', 20n * E18, 0n]].forEach((row) => position(...row));
      else [['farmer', 10n * E18, 0n], ['whale', 30n * E18, 0n]].forEach((row) => position(...row));
    });
    // The farmer's second NFT of the first pool, and all of the second pool.
    nitroPools.forEach((nitroPool) => {
      of('NitroPoolFactoryDouble', nitroFactory)('deployer', 'publish', [nitroPool]);
      ['bonus', 'usdc'].forEach((symbol) => mint(symbol, nitroPool, PER_SECOND * SECONDS));
    });
    [['farmer', 0, 2n], ['farmer', 1, 1n], ['whale', 1, 2n]].forEach(([who, place, id]) =>
      of('NFTPoolDouble', pools[place])(who, 'safeTransferFrom', [world.accounts[who], nitroPools[1 - place], id]));
    [['farmer', 10n], ['whale', 30n]].forEach(([who, amount]) => {
      spend(who, 'joe', joeStaking, amount * E18);
      of('StableJoeStakingDouble', joeStaking)(who, 'deposit', [amount * E18]);
    });
    of('StakeManagerDouble', manager)('deployer', 'add', [world.accounts.bystander, `0x${'0'.repeat(40)}`]); // Nobody can delegate to the first.
    shares.forEach((at) => of('StakeManagerDouble', manager)('deployer', 'add', [world.accounts.bystander, at]));
    const delegate = (who, validator, amount) => {
      spend(who, 'pol', shares[validator], amount * E18);
      of('ValidatorShareDouble', shares[validator])(who, 'buyVoucherPOL', [amount * E18, 0n]);
    };
    [['farmer', 0, 10n], ['whale', 0, 30n], ['farmer', 1, 5n], ['odd', 1, 9n]].forEach((row) => delegate(...row));
    // All of the last leaves again: 4 that have waited for eighty epochs, and 5 that wait.
    const leave = (amount) => of('ValidatorShareDouble', shares[1])('odd', 'sellVoucher_newPOL', [amount * E18, amount * E18]);
    const pass = (epoch) => of('StakeManagerDouble', manager)('deployer', 'setCurrentEpoch', [epoch]);
    leave(4n);
    pass(100n);
    leave(5n);
    pass(120n);
    await world.mine();
    beetsChef.send('deployer', 'updateEmissionRate', [0n]); // It has paid for one block.
    spend('deployer', 'pol', shares[0], 8n * E18);
    of('ValidatorShareDouble', shares[0])('deployer', 'checkpoint', [8n * E18]);
    // Fees of 4 and of 0.4 arrive.
    mint('usdc', joeStaking, 4n * E18);
    mint('joe', joeStaking, 4n * E18 / 10n);
    await world.at(SNAPSHOT);
    const contracts = {
      lpStaking: lpStaking.at, bonusChef: bonusChef.at, listsChef: listsChef.at, beetsChef: beetsChef.at, positionChef, master, pools, nftPoolFactory,
      nitroFactory, nitroPools, joeStaking, manager, shares,
    };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { chefs: contracts, assets: tokens, seconds: Number(SECONDS) } };
  },
};
