// Chain id 1: doubles of Euler v2 and of Fluid. The tests know by arithmetic what their accounts have; see
// tests/tests/e2e/lenders.rs.
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const USDC = 10n ** 6n;
const ONE = 10n ** 18n;
const ALL = 2n ** 256n - 1n;
const RATE = 10n ** 18n; // A second, of 10^27.
const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const NONE = '0x0000000000000000000000000000000000000000';

export const lenders = {
  name: 'lenders',
  chainId: 1,
  native: 10n ** 18n,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const weth = world.deploy('TokenDouble', ['Wrapped Ether', 'WETH', 18]);
    await world.at(SETUP);
    const of = (artifact, to) => (from, name, args = []) => world.send(from, to, artifact, name, args);
    const mint = (token, to, amount) => of('TokenDouble', token)('deployer', 'mint', [to, amount]);
    const euler = eulerOf(world, of, usdc, weth);
    const fluid = fluidOf(world, of, mint, usdc, weth);
    await world.mine();

    // 1,000 USDC are lent, of which the first sub-account of `odd` owes 400 against two WETH.
    const { odd } = world.accounts;
    const first = sibling(odd, 1);
    for (const [who, vault, token, amount, to] of [
      ['farmer', euler.dollars, usdc, 1_000n * USDC, world.accounts.farmer], ['odd', euler.ether, weth, 2n * ONE, first],
      ['odd', euler.ether, weth, 10n ** 6n, odd],
    ]) {
      mint(token, world.accounts[who], amount);
      of('TokenDouble', token)(who, 'approve', [vault, ALL]);
      of('EVaultDouble', vault)(who, 'deposit', [amount, to]);
    }
    of('EvcDouble', euler.evc)('odd', 'enable', [first, euler.ether, euler.dollars]);
    await world.mine();
    of('EVaultDouble', euler.dollars)('odd', 'borrowFor', [first, 400n * USDC]);
    mint(usdc, odd, 10_000n * USDC);
    of('TokenDouble', usdc)('odd', 'approve', [euler.dollars, ALL]);
    await world.at(SNAPSHOT);
    const more = { euler, fluid, assets: { usdc, weth }, seconds: SNAPSHOT - SETUP };
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more };
  },
};

// Three vaults: of dollars, of ether at 2,000, and one that nobody uses. One perspective verifies that of dollars, the
// other none.
function eulerOf(world, of, usdc, weth) {
  const evc = world.deploy('EvcDouble');
  const factory = world.deploy('EVaultFactoryDouble');
  const vault = (token, rate, price, ltv) => world.deploy('EVaultDouble', [evc, token, rate, price, ltv]);
  // A smallest unit of USDC is worth 10^12 of those of WETH over 2,000.
  const [dollars, ether, unused] = [vault(usdc, RATE, 10n ** 12n, 0n), vault(weth, 0n, 2_000n, 8_000n), vault(weth, 0n, 2_000n, 0n)];
  [dollars, ether, unused].forEach((one) => of('EVaultFactoryDouble', factory)('deployer', 'add', [one]));
  const [verifying, strict] = [world.deploy('PerspectiveDouble'), world.deploy('PerspectiveDouble')];
  of('PerspectiveDouble', verifying)('deployer', 'verify', [dollars]);
  return { evc, factory, dollars, ether, unused, verifying, strict };
}

// A lending token at 1.05, and two positions: of ether against dollars, and of a pool's shares against such shares.
function fluidOf(world, of, mint, usdc, weth) {
  const { farmer, odd } = world.accounts;
  const token = world.deploy('FluidTokenDouble', [usdc, 1_050_000_000_000n]);
  const lending = world.deploy('FluidLendingFactoryDouble', [[token]]);
  const nfts = world.deploy('FluidVaultFactoryDouble');
  const resolver = world.deploy('FluidVaultResolverDouble', [nfts]);
  const dex = world.deploy('FluidDexResolverDouble');
  mint(token, farmer, 100n * USDC + 1n);
  mint(usdc, token, 200n * USDC);
  [[farmer, 7n], [odd, 8n]].forEach(([who, number]) => of('FluidVaultFactoryDouble', nfts)('deployer', 'mint', [who, number]));
  const set = of('FluidVaultResolverDouble', resolver);
  set('deployer', 'set', [7n, ONE, 1_000n * USDC, { token0: NATIVE, token1: usdc }, NONE, 8_500, 2_000n * 10n ** 15n]);
  set('deployer', 'set', [8n, 100n, 10n, { token0: usdc, token1: weth }, dex, 9_000, 10n ** 27n]);
  return { lending, nfts, resolver, dex, token };
}

function sibling(account, number) {
  return `0x${(BigInt(account) ^ BigInt(number)).toString(16).padStart(40, '0')}`;
}
