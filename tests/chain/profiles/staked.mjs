// Chain id 1: doubles of liquid staking tokens, of Lido's, Swell's, Renzo's, Lista's, Stader's, Kelp's and Benqi's ways out of
// them, and of EigenLayer. The tests know by arithmetic what its accounts have; see tests/tests/e2e/staked.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const RATE_ONE = 10n ** 27n;
const DAY = 86_400;
const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const BEACON = '0xbeac0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeebeac0';

export const staked = {
  name: 'staked',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const liquid = (name, rate) => world.deploy('LiquidTokenDouble', [`Token ${name}`, name, rate]);
    const steth = liquid('stETH', ONE);
    const wsteth = liquid('wstETH', (ONE * 6n) / 5n);
    const reth = liquid('rETH', (ONE * 11n) / 10n);
    const aeth = liquid('ankrETH', (ONE * 5n) / 4n);
    const queue = world.deploy('WithdrawalQueueDouble', [steth]);
    const exits = world.deploy('SwExitDouble');
    const requests = world.deploy('RequestQueueDouble', [BigInt(7 * DAY), ONE]);
    const [slis, ethx, rseth] = ['slisBNB', 'ETHx', 'rsETH'].map((name) => liquid(name, ONE));
    const listaQueue = world.deploy('ListaStakeManagerDouble');
    const staderQueue = world.deploy('UserWithdrawalManagerDouble');
    const kelpConfig = world.deploy('LRTConfigDouble', [[NATIVE, steth]]);
    const kelpQueue = world.deploy('LRTWithdrawalManagerDouble', [kelpConfig]);
    const savax = world.deploy('StakedAvaxDouble', [BigInt(15 * DAY), BigInt(2 * DAY), (ONE * 5n) / 4n]);
    const strategies = [world.deploy('StrategyDouble', [steth, ONE]), world.deploy('StrategyDouble', [reth, (ONE * 3n) / 2n])];
    const strategyManager = world.deploy('StrategyManagerDouble');
    const manager = world.deploy('DelegationManagerDouble', [10]);
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = [], value = 0n) => world.send(from, to, artifact, name, args, value);
    const mint = (token, to, amount) => of('LiquidTokenDouble', token)('deployer', 'mint', [to, amount]);
    const give = (who, token, amount) => mint(token, world.accounts[who], amount);

    // What is held: of the whale all tokens.
    give('farmer', steth, 8n * ONE);
    give('farmer', wsteth, 10n * ONE);
    give('whale', reth, 3n * ONE + 1n);
    give('whale', aeth, 4n * ONE);

    // Lido: the farmer's first request is paid at nine tenths, the second waits; the exited account has claimed.
    const lido = of('WithdrawalQueueDouble', queue);
    const request = (who, amount) => {
      give(who, steth, amount);
      of('LiquidTokenDouble', steth)(who, 'approve', [queue, ALL]);
      lido(who, 'requestWithdrawals', [[amount], world.accounts[who]]);
    };
    request('farmer', 2n * ONE);
    request('exited', ONE);
    request('farmer', 5n * ONE);
    await world.mine();
    lido('deployer', 'finalize', [2n, (RATE_ONE * 9n) / 10n], 3n * ONE);
    await world.mine();
    lido('exited', 'claimWithdrawals', [[2n], [1n]]);

    // Swell: an exit pays by the lower rate, the last one waits.
    const swell = of('SwExitDouble', exits);
    swell('farmer', 'createWithdrawRequest', [4n * ONE, ONE]);
    swell('farmer', 'createWithdrawRequest', [2n * ONE, (ONE * 6n) / 5n]);
    swell('farmer', 'createWithdrawRequest', [3n * ONE, ONE]);
    await world.mine();
    swell('deployer', 'processWithdrawal', [1n, (ONE * 5n) / 4n]);
    swell('deployer', 'processWithdrawal', [2n, (ONE * 11n) / 10n]);

    // Renzo: the rate has fallen since, so that a request pays less than it was promised; the last one is young.
    const renzo = of('RequestQueueDouble', requests);
    renzo('farmer', 'withdraw', [5n * ONE, NATIVE]);
    renzo('farmer', 'withdraw', [6n * ONE, steth]);
    renzo('whale', 'withdraw', [2n * ONE, NATIVE]);
    mint(steth, requests, 10n * ONE);
    await world.mine();
    renzo('deployer', 'setRate', [(ONE * 9n) / 10n]);

    // Lista: the third of four is paid too, the last one waits. What it pays is settled in the request.
    const lista = of('ListaStakeManagerDouble', listaQueue);
    lista('farmer', 'requestWithdraw', [2n * ONE, (ONE * 22n) / 10n]);
    lista('whale', 'requestWithdraw', [2n * ONE, (ONE * 21n) / 10n]);
    lista('farmer', 'requestWithdraw', [3n * ONE, (ONE * 33n) / 10n]);
    lista('farmer', 'requestWithdraw', [ONE, (ONE * 11n) / 10n]);
    lista('deployer', 'confirm', [4n]);

    // Stader: three of four are finalized, the second of them at less than was expected.
    const stader = of('UserWithdrawalManagerDouble', staderQueue);
    stader('farmer', 'requestWithdraw', [ONE, (ONE * 105n) / 100n]);
    stader('farmer', 'requestWithdraw', [2n * ONE, (ONE * 21n) / 10n]);
    stader('whale', 'requestWithdraw', [ONE / 2n, ONE / 2n]);
    stader('farmer', 'requestWithdraw', [7n * ONE, 8n * ONE]);
    [(ONE * 105n) / 100n, 2n * ONE, ONE / 2n].forEach((paid) => stader('deployer', 'finalize', [paid]));

    // Kelp: of ether two of three are unlocked, the first at less than was expected; and one of stETH.
    const kelp = of('LRTWithdrawalManagerDouble', kelpQueue);
    kelp('farmer', 'initiateWithdrawal', [NATIVE, 3n * ONE, (ONE * 31n) / 10n]);
    kelp('whale', 'initiateWithdrawal', [NATIVE, ONE, ONE]);
    kelp('farmer', 'initiateWithdrawal', [NATIVE, 5n * ONE, 5n * ONE]);
    kelp('farmer', 'initiateWithdrawal', [steth, 4n * ONE, 4n * ONE]);
    await world.mine();
    kelp('deployer', 'unlock', [NATIVE, 3n * ONE]);
    kelp('deployer', 'unlock', [NATIVE, ONE]);
    kelp('deployer', 'unlock', [steth, 4n * ONE]);
    mint(steth, kelpQueue, 4n * ONE);

    // Benqi: 15 days of cooldown, then two days to take it. These three are taken too late.
    const benqi = of('StakedAvaxDouble', savax);
    for (const who of ['farmer', 'whale']) {
      benqi('deployer', 'mint', [world.accounts[who], 18n * ONE]);
      benqi(who, 'approve', [savax, ALL]);
    }
    await world.mine();
    benqi('farmer', 'requestUnlock', [3n * ONE]);

    // EigenLayer: a tenth of the whale's operator was slashed; the farmer has none.
    const eigen = of('DelegationManagerDouble', manager);
    strategies.forEach((strategy) => of('StrategyManagerDouble', strategyManager)('deployer', 'addStrategy', [strategy]));
    [steth, reth].forEach((token, i) => mint(token, strategies[i], 1_000n * ONE));
    const operator = world.accounts.bystander;
    eigen('whale', 'delegateTo', [operator]);
    eigen('farmer', 'deposit', [strategies[0], 10n * ONE]);
    eigen('farmer', 'deposit', [strategies[1], 6n * ONE]);
    eigen('whale', 'deposit', [strategies[1], 20n * ONE]);
    eigen('whale', 'deposit', [BEACON, 32n * ONE]);
    await world.mine();
    eigen('farmer', 'queueWithdrawal', [strategies, [ONE, 2n * ONE]]);
    eigen('whale', 'queueWithdrawal', [[BEACON], [10n * ONE]]);
    eigen('whale', 'queueWithdrawal', [[strategies[1]], [4n * ONE]]);
    eigen('deployer', 'setSlashingFactor', [operator, (ONE * 9n) / 10n]);
    await world.pass(12);
    for (const to of [exits, requests, manager, listaQueue, staderQueue, kelpQueue, savax]) await world.anvil.rpc('anvil_setBalance', to, `0x${(100n * ONE).toString(16)}`);
    await world.at(SNAPSHOT - 16 * DAY);
    benqi('farmer', 'requestUnlock', [4n * ONE]);
    benqi('farmer', 'requestUnlock', [ONE]);
    await world.at(SNAPSHOT - DAY);
    benqi('farmer', 'requestUnlock', [2n * ONE]);
    benqi('whale', 'requestUnlock', [ONE]);
    eigen('farmer', 'queueWithdrawal', [[strategies[0]], [3n * ONE]]);
    renzo('farmer', 'withdraw', [ONE, NATIVE]);
    await world.at(SNAPSHOT);
    const more = {
      staked: { queue, exits, requests, listaQueue, staderQueue, kelpQueue, manager, strategyManager, strategies },
      assets: { steth, wsteth, reth, aeth, slis, ethx, rseth, savax },
      ends: { request: SNAPSHOT - DAY + 7 * DAY, unlock: SNAPSHOT - DAY + 15 * DAY + 1 },
    };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more };
  },
};
