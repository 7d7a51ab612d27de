// Chain id 1: doubles of a pair of Silo v2. The tests know by arithmetic what its accounts have; see
// tests/tests/e2e/silos.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const NATIVE = '0x0000000000000000000000000000000000000000';
const [PROTECTED, COLLATERAL] = [0, 1];
// One smallest unit a second of what `odd` owes: 1,000 USDC are 10^9 of them.
const RATE = 31_536_000n * 10n ** 9n;

export const silos = {
  name: 'silos',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const weth = world.deploy('TokenDouble', ['Wrapped Ether', 'WETH', 18]);
    await world.at(SETUP);
    const config = world.deploy('SiloConfigDouble');
    const silo = () => world.deploy('SiloDouble', [config]);
    const [ether, dollar] = [silo(), silo()];
    const model = world.deploy('SiloRateDouble', [RATE]);
    // Smallest units of USDC for as many of WETH: 2,000 dollars, where USDC needs no oracle.
    const oracle = world.deploy('SiloOracleDouble', [weth, 2_000n * USDC]);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const shares = {};
    const side = (name, place, its, token, solvencyOracle, lt) => {
      const [protectedShareToken, debtShareToken] = [world.deploy('SiloShareDouble'), world.deploy('SiloShareDouble')];
      shares[name] = { collateral: its, protected: protectedShareToken };
      const config_ = {
        daoFee: (ONE * 15n) / 100n, deployerFee: (ONE * 5n) / 100n, silo: its, token,
        protectedShareToken, collateralShareToken: its, debtShareToken,
        solvencyOracle, maxLtvOracle: solvencyOracle, interestRateModel: model, maxLtv: (lt * 9n) / 10n, lt,
        liquidationTargetLtv: (lt * 9n) / 10n, liquidationFee: ONE / 20n, flashloanFee: 0n, hookReceiver: NATIVE, callBeforeQuote: false,
      };
      of('SiloConfigDouble', config)('deployer', 'set', [place, config_]);
    };
    side('weth', 0n, ether, weth, oracle, (ONE * 80n) / 100n);
    side('usdc', 1n, dollar, usdc, NATIVE, (ONE * 85n) / 100n);
    await world.mine();

    // 1,000 and 3,000 are lent to others; 1,000 are owed against one WETH that is lent and one that is protected.
    const give = (who, token, to, amount, kind) => {
      of('TokenDouble', token)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', token)(who, 'approve', [to, ALL]);
      of('SiloDouble', to)(who, 'deposit', [amount, kind]);
    };
    give('farmer', usdc, dollar, 1_000n * USDC, COLLATERAL);
    give('whale', usdc, dollar, 3_000n * USDC, COLLATERAL);
    give('whale', usdc, dollar, 5n * USDC, PROTECTED);
    give('odd', weth, ether, ONE, COLLATERAL);
    give('odd', weth, ether, ONE, PROTECTED);
    give('dust', usdc, dollar, 1n, PROTECTED);
    await world.mine();
    of('SiloDouble', dollar)('odd', 'borrow', [1_000n * USDC]);
    await world.at(SNAPSHOT);
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { silos: { config }, shares, assets: { usdc, weth }, seconds: SNAPSHOT - SETUP } };
  },
};
