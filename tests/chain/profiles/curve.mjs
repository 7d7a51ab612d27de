// Chain id 1: Curve's real token, controller, gauges and minter, with Balancer's real escrow and distributor of fees beside
// them; doubles of the factory and a gauge of other networks, and of a market of crvUSD; a second controller,
// without a minter. The tests know by arithmetic what
// its accounts have; see tests/tests/e2e/curve.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;
const ALL = 2n ** 256n - 1n;
const DAY = 86_400;
const WEEK = 7 * DAY;
const weekOf = (time) => Math.floor(time / WEEK) * WEEK;

const MINING = SETUP + DAY; // No CRV is mined before.
const WEIGHED = weekOf(MINING) + WEEK; // Weights of gauges count from the next week on.
const STAKED = WEIGHED + 1_000;
const LEFT = STAKED + 1_000_000;
const FEES = weekOf(SNAPSHOT) - 2 * WEEK + 5_000; // In a week that is over.
const UNLOCK = weekOf(SNAPSHOT) + 20 * WEEK;
const SIDE_RATE = 4n * 10n ** 14n; // Of the emission, a second.
const REWARD_EPOCH = 60 * DAY;
const REWARD = 3n * BigInt(REWARD_EPOCH) * 10n ** 12n; // Three millionths a second.
const LOAN_RATE = 10n ** 9n; // A second, of 10^18.

export const curve = {
  name: 'curve',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const token = (name, symbol, decimals) => world.deploy('TokenDouble', [name, symbol, decimals]);
    const lpA = token('Curve A', 'crvA', 18);
    const lpB = token('Curve B', 'crvB', 18);
    const usdc = token('USD Coin', 'USDC', 6);
    const ldo = token('Lido DAO', 'LDO', 18);
    const weth = token('Wrapped Ether', 'WETH', 18);
    const crvusd = token('Curve.Fi USD', 'crvUSD', 18);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const give = (who, lp, gauge, artifact, amount) => {
      of('TokenDouble', lp)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', lp)(who, 'approve', [gauge, ALL]);
      of(artifact, gauge)(who, 'deposit', [amount]);
    };

    await world.at(SETUP);
    const crv = world.deploy('CRVToken', ['Curve DAO Token', 'CRV', 18n]);
    const escrow = world.deploy('VotingEscrow', [crv, 'Vote-escrowed CRV', 'veCRV', world.accounts.deployer]);
    of('CRVToken', crv)('deployer', 'transfer', [world.accounts.odd, 1_000n * ONE]);
    of('CRVToken', crv)('odd', 'approve', [escrow, ALL]);
    const factory = world.deploy('ChildGaugeFactoryDouble', [crv]);
    of('CRVToken', crv)('deployer', 'transfer', [factory, 1_000_000n * ONE]);

    await world.at(MINING);
    of('CRVToken', crv)('deployer', 'update_mining_parameters');
    const controller = world.deploy('GaugeController', [crv, escrow]);
    const minter = world.deploy('Minter', [crv, controller]);
    of('CRVToken', crv)('deployer', 'set_minter', [minter]);
    const [gaugeA, gaugeB] = [lpA, lpB].map((lp) => world.deploy('LiquidityGauge', [lp, minter]));
    const shares = of('GaugeController', controller);
    shares('deployer', 'add_type', ['Liquidity', ONE]);
    shares('deployer', 'add_gauge', [gaugeA, 0n, 3n]);
    shares('deployer', 'add_gauge', [gaugeB, 0n, 1n]);
    // A gauge of another network holds no tokens here: any other contract stands for it.
    shares('deployer', 'add_gauge', [usdc, 0n, 0n]);

    // 1,000 and 3,000 in the first gauge; 1,000 in the second, which leave again.
    await world.at(STAKED);
    give('farmer', lpA, gaugeA, 'LiquidityGauge', 1_000n * ONE);
    give('whale', lpA, gaugeA, 'LiquidityGauge', 3_000n * ONE);
    give('exited', lpB, gaugeB, 'LiquidityGauge', 1_000n * ONE);
    give('dust', lpB, gaugeB, 'LiquidityGauge', 1n);
    await world.at(LEFT);
    of('LiquidityGauge', gaugeB)('exited', 'withdraw', [1_000n * ONE]);

    // One lock, whose owner alone is owed the fees of a week that is over.
    await world.at(FEES - WEEK);
    of('VotingEscrow', escrow)('odd', 'create_lock', [1_000n * ONE, BigInt(UNLOCK)]);
    await world.mine();
    const distributor = world.deploy('FeeDistributor', [escrow, BigInt(weekOf(FEES))]);
    await world.at(FEES);
    for (const [fee, amount] of [[usdc, 700n * USDC], [ldo, 3n * ONE]]) {
      of('TokenDouble', fee)('deployer', 'mint', [world.accounts.deployer, amount]);
      of('TokenDouble', fee)('deployer', 'approve', [distributor, ALL]);
      of('FeeDistributor', distributor)('deployer', 'depositToken', [fee, amount]);
    }

    // Another network's factory: a gauge with an emission and two rewards, of which one is over; a loan of crvUSD.
    const SIDE = SNAPSHOT - 100_000;
    await world.at(FEES + DAY);
    of('ChildGaugeFactoryDouble', factory)('deployer', 'deploy_gauge', [lpB, SIDE_RATE]);
    await world.mine();
    const side = await world.view(factory, 'ChildGaugeFactoryDouble', 'get_gauge', [0n]);
    const gauge = of('ChildGaugeDouble', side.toLowerCase());
    const fund = (reward, epoch) => {
      of('TokenDouble', reward)('deployer', 'mint', [world.accounts.deployer, REWARD]);
      of('TokenDouble', reward)('deployer', 'approve', [side.toLowerCase(), ALL]);
      gauge('deployer', 'deposit_reward_token', [reward, REWARD, BigInt(epoch)]);
    };
    [ldo, weth].forEach((reward) => gauge('deployer', 'add_reward', [reward]));
    fund(weth, DAY);
    await world.mine();
    await world.at(SIDE);
    give('farmer', lpB, side.toLowerCase(), 'ChildGaugeDouble', 1_000n * ONE);
    give('odd', lpB, side.toLowerCase(), 'ChildGaugeDouble', 1_000n * ONE);
    gauge('odd', 'set_rewards_receiver', [world.accounts.bystander]);
    fund(ldo, REWARD_EPOCH);
    const amm = world.deploy('CrvUsdAmmDouble', [crvusd, weth, LOAN_RATE]);
    const loans = world.deploy('CrvUsdControllerDouble', [amm, 2_000n * ONE]);
    const markets = world.deploy('CrvUsdFactoryDouble');
    of('CrvUsdFactoryDouble', markets)('deployer', 'add', [loans]);
    await world.mine();
    // Two ether and 500 that others were sold, for 3,000 that are owed.
    of('CrvUsdControllerDouble', loans)('whale', 'create_loan', [2n * ONE, 500n * ONE, 3_000n * ONE, 10n]);
    // A controller beside no minter, as Stake DAO has them: its gauges pay other tokens alone.
    const bare = world.deploy('GaugeController', [crv, escrow]);
    of('GaugeController', bare)('deployer', 'add_type', ['Strategies', ONE]);
    of('GaugeController', bare)('deployer', 'add_gauge', [side.toLowerCase(), 0n, 0n]);
    await world.at(SNAPSHOT);
    const times = { staked: STAKED, left: LEFT, side: SIDE, unlock: UNLOCK, snapshot: SNAPSHOT };
    const contracts = { crv, usdc, ldo, controller, bare, minter, gaugeA, gaugeB, escrow, distributor, factory, side: side.toLowerCase(), markets, loans };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { curve: contracts, times } };
  },
};
