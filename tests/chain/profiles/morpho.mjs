// Chain id 1: Morpho Blue with three markets and a vault that lends to two of them. The tests know by arithmetic what its
// accounts have; see tests/tests/e2e/morpho.rs.
import { encodeAbiParameters, keccak256, zeroAddress } from 'viem';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const DAY = 86_400;
const START = SETUP + 2 * DAY; // A vault's owner has to wait a day.
const RATE = 10n ** 9n; // A second, of 10^18.
const LLTV = (86n * ONE) / 100n;
const CAP = 10n ** 15n;

export const morphoBlue = {
  name: 'morpho',
  chainId: 1,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const weth = world.deploy('TokenDouble', ['Wrapped Ether', 'WETH', 18]);
    const wbtc = world.deploy('TokenDouble', ['Wrapped BTC', 'WBTC', 8]);
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const { deployer, bystander } = world.accounts;
    const morpho = world.deploy('Morpho', [deployer]);
    const rate = world.deploy('MorphoRateDouble', [RATE]);
    const adaptive = world.deploy('AdaptiveCurveIrm', [morpho]);
    // In smallest units of USDC for one of the other, with 36 decimals more: 2,000 and 60,000 dollars.
    const ether = world.deploy('MorphoOracleDouble', [2_000n * 10n ** 24n]);
    const bitcoin = world.deploy('MorphoOracleDouble', [60_000n * 10n ** 34n]);
    const blue = of('Morpho', morpho);
    [rate, adaptive, zeroAddress].forEach((irm) => blue('deployer', 'enableIrm', [irm]));
    [LLTV, 0n].forEach((lltv) => blue('deployer', 'enableLltv', [lltv]));
    blue('deployer', 'setFeeRecipient', [bystander]);
    const market = (collateralToken, oracle, irm, lltv) => ({ loanToken: usdc, collateralToken, oracle, irm, lltv });
    const fixed = market(weth, ether, rate, LLTV);
    const curved = market(wbtc, bitcoin, adaptive, LLTV);
    const idle = market(zeroAddress, zeroAddress, zeroAddress, 0n);
    [fixed, curved, idle].forEach((params) => blue('deployer', 'createMarket', [params]));
    await world.mine();
    blue('deployer', 'setFee', [fixed, ONE / 10n]);
    const vault = world.deploy('MetaMorpho', [deployer, morpho, BigInt(DAY), usdc, 'Steady USDC', 'sUSDC']);
    const queue = of('MetaMorpho', vault);
    [fixed, curved].forEach((params) => queue('deployer', 'submitCap', [params, CAP]));
    await world.at(START);
    [fixed, curved].forEach((params) => queue('deployer', 'acceptCap', [params]));
    await world.mine();
    queue('deployer', 'setSupplyQueue', [[id(fixed)]]);
    await world.mine();

    // 4,000 are lent in the first market, 3,000 of them through the vault; 500 are owed against two WETH.
    const own = (who, token, amount, spender) => {
      of('TokenDouble', token)('deployer', 'mint', [world.accounts[who], amount]);
      of('TokenDouble', token)(who, 'approve', [spender, ALL]);
    };
    const supply = (who, params, amount) => {
      own(who, usdc, amount, morpho);
      blue(who, 'supply', [params, amount, 0n, world.accounts[who], '0x']);
    };
    const secure = (who, params, amount) => {
      own(who, params.collateralToken, amount, morpho);
      blue(who, 'supplyCollateral', [params, amount, world.accounts[who], '0x']);
    };
    const borrow = (who, params, amount) => blue(who, 'borrow', [params, amount, 0n, world.accounts[who], world.accounts[who]]);
    supply('farmer', fixed, 1_000n * USDC);
    own('whale', usdc, 3_000n * USDC, vault);
    queue('whale', 'deposit', [3_000n * USDC, world.accounts.whale]);
    secure('odd', fixed, 2n * ONE);
    supply('farmer', curved, 1_000n * USDC);
    secure('odd', curved, 10n ** 7n);
    secure('dust', curved, 1n);
    supply('exited', fixed, 100n * USDC);
    supply('whale', idle, 5n * USDC);
    await world.mine();
    blue('exited', 'withdraw', [fixed, 100n * USDC, 0n, world.accounts.exited, world.accounts.exited]);
    borrow('odd', fixed, 500n * USDC);
    borrow('odd', curved, 900n * USDC);
    // To repay what is owed with its interest.
    own('odd', usdc, 10_000n * USDC, morpho);
    await world.at(SNAPSHOT);
    const markets = Object.fromEntries(Object.entries({ fixed, curved, idle }).map(([name, params]) => [name, { id: id(params), ...params, lltv: String(params.lltv) }]));
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { morpho, vault, markets, assets: { usdc, weth, wbtc }, seconds: SNAPSHOT - START } };
  },
};

function id({ loanToken, collateralToken, oracle, irm, lltv }) {
  const types = ['address', 'address', 'address', 'address', 'uint256'].map((type) => ({ type }));
  return keccak256(encodeAbiParameters(types, [loanToken, collateralToken, oracle, irm, lltv]));
}
