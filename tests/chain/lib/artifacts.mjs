// Creation code and ABIs: of the real contracts from their packages, of those that come
// as sources compiled with the compiler that they name, of the doubles from `contracts/`.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import solc from 'solc';
import wrapper from 'solc/wrapper.js';
import { multicall3Bytecode } from '../node_modules/viem/_esm/constants/contracts.js';
import { packed, packsFolder } from './packs.mjs';

const require = createRequire(import.meta.url);
const RUNS = 200; // Of the optimizer; no expected value depends on it.

const SUPERFLUID = await packed('@superfluid-finance/ethereum-contracts');

// The registry that tokens of ERC-777 name themselves in: where it is on every chain, and its code.
export const ERC1820 = '0x1820a4b7618bde71dce8cdc73aab6c95905fad24';
export const ERC1820_CODE = `0x${/hex"([0-9a-f]+)"/.exec(SUPERFLUID.get('contracts/libs/ERC1820RegistryCompiled.sol').toString('utf8'))[1]}`;

export const artifacts = {
  Multicall3: { abi: [], bytecode: multicall3Bytecode },
  UniswapV2Factory: packaged('@uniswap/v2-core/build/UniswapV2Factory.json'),
  UniswapV2Pair: packaged('@uniswap/v2-core/build/UniswapV2Pair.json'),
  UniswapV2Router02: packaged('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
  WETH9: packaged('@uniswap/v2-periphery/build/WETH9.json'),
  StakingRewardsFactory: packaged('@uniswap/liquidity-staker/build/StakingRewardsFactory.json'),
  StakingRewards: packaged('@uniswap/liquidity-staker/build/StakingRewards.json'),
  ...compiled(new URL('../contracts/', import.meta.url)),
  ...picked(await packed('@aave/core-v3'), 'artifacts/contracts', [
    'protocol/configuration/PoolAddressesProvider', 'protocol/configuration/ACLManager',
    'protocol/pool/Pool', 'protocol/pool/PoolConfigurator', 'protocol/pool/DefaultReserveInterestRateStrategy',
    ...['Borrow', 'Bridge', 'Configurator', 'EMode', 'FlashLoan', 'Liquidation', 'Pool', 'Supply'].map((part) => `protocol/libraries/logic/${part}Logic`),
    'protocol/tokenization/AToken', 'protocol/tokenization/VariableDebtToken', 'protocol/tokenization/StableDebtToken',
    'protocol/libraries/aave-upgradeability/InitializableImmutableAdminUpgradeabilityProxy',
    'dependencies/openzeppelin/upgradeability/InitializableAdminUpgradeabilityProxy',
    'misc/AaveOracle', 'misc/AaveProtocolDataProvider', 'mocks/oracle/CLAggregators/MockAggregator',
  ]),
  ...picked(await packed('@aave/periphery-v3'), 'artifacts/contracts/rewards', [
    'RewardsController', 'EmissionManager', 'transfer-strategies/PullRewardsTransferStrategy',
  ]),
  ...picked(await packed('@pendle/core-v2'), 'build/artifacts/contracts', [
    'core/YieldContracts/PendlePrincipalToken', 'core/YieldContracts/PendleYieldToken', 'core/Market/PendleMarketV7', 'core/Market/OracleLib',
    'LiquidityMining/VotingEscrow/VotingEscrowPendleMainchain', 'LiquidityMining/sPendle/StakedPendle',
  ]),
  ...picked(await packed('@pangolindex/exchange-contracts'), 'artifacts/contracts/mini-chef', ['MiniChefV2', 'RewarderViaMultiplier']),
  ...built(await packed('@ensdomains/ethregistrar'), ['ENSRegistry', 'ENSRegistryWithFallback', 'BaseRegistrarImplementation']),
  MerkleDistributor: plain(await packed('@uniswap/merkle-distributor'), 'build/MerkleDistributor.json'),
  ...built(await packed('@ensdomains/resolver'), ['PublicResolver', 'ReverseRegistrar', 'DefaultReverseResolver']),
  ...built(await packed('@setprotocol/set-protocol-v2'), ['CRVToken', 'CurvePoolERC20', 'GaugeController', 'LiquidityGauge', 'Minter', 'Stableswap'], 'external/abi/curve'),
  ...built(await packed('@balancer-labs/v2-deployments'), ['VotingEscrow'], 'dist/tasks/20220325-gauge-controller/artifact'),
  ...built(await packed('@balancer-labs/v2-deployments'), ['FeeDistributor'], 'dist/tasks/20220714-fee-distributor-v2/artifact'),
  ...built(await packed('@balancer-labs/v2-deployments'), ['Authorizer'], 'dist/tasks/20210418-authorizer/artifact'),
  ...built(await packed('@balancer-labs/v2-deployments'), ['Vault'], 'dist/tasks/20210418-vault/artifact'),
  ...built(await packed('@balancer-labs/v2-deployments'), ['WeightedPool2TokensFactory'], 'dist/tasks/deprecated/20210418-weighted-pool/artifact'),
  ...built(await packed('@balancer-labs/v2-deployments'), ['StablePhantomPoolFactory'], 'dist/tasks/deprecated/20211208-stable-phantom-pool/artifact'),
  ...picked(await packed('@uniswap/v3-core'), 'artifacts/contracts', ['UniswapV3Factory']),
  ...picked(await packed('@uniswap/v3-periphery'), 'artifacts/contracts', ['NonfungiblePositionManager', 'SwapRouter']),
  ...(await algebra('Algebra', '@cryptoalgebra/core', '@cryptoalgebra/periphery')),
  ...(await algebra('Integral', '@cryptoalgebra/integral-core', '@cryptoalgebra/integral-periphery')),
  SablierV2LockupLinear: forged(await packed('@sablier/v2-core'), 'artifacts/SablierV2LockupLinear.json'),
  SablierLockup: forged(await packed('@sablier/lockup'), 'artifacts/SablierLockup.json'),
  LockupHelpers: forged(await packed('@sablier/lockup'), 'artifacts/libraries/LockupHelpers.json'),
  LockupMath: forged(await packed('@sablier/lockup'), 'artifacts/libraries/LockupMath.json'),
  ...picked(SUPERFLUID, 'build/hardhat/contracts', [
    'superfluid/Superfluid', 'superfluid/SuperToken', 'superfluid/SuperTokenFactory', 'agreements/ConstantFlowAgreementV1',
    ...['GeneralDistributionAgreementV1', 'SuperfluidPool', 'SuperfluidPoolDeployerLibrary', 'PoolAdminNFT'].map((name) => `agreements/gdav1/${name}`),
    'libs/SlotsBitmapLibrary', 'upgradability/SuperfluidUpgradeableBeacon', 'upgradability/UUPSProxy', 'tokens/PureSuperToken',
    ...['CFAv1Forwarder', 'GDAv1Forwarder', 'ERC2771Forwarder', 'SimpleACL', 'SimpleForwarder', 'TestGovernance'].map((name) => `utils/${name}`),
  ]),
  ...built(SUPERFLUID, ['SETHProxy'], 'build/hardhat/contracts/tokens/SETH.sol'),
  ...(await sushi()),
  ...(await morpho()),
  ...(await symbiotic()),
  ...(await synthetix()),
  ...(await yearn()),
  ...(await savings()),
};

function packaged(path) {
  const { abi, bytecode } = require(path);
  return { abi, bytecode: bytecode.startsWith('0x') ? bytecode : `0x${bytecode}` };
}

// Waffle's layout.
function plain(files, path) {
  const { abi, bytecode } = JSON.parse(files.get(path).toString('utf8'));
  return { abi, bytecode: `0x${bytecode}` };
}

// Foundry's layout.
function forged(files, path) {
  const { abi, bytecode } = JSON.parse(files.get(path).toString('utf8'));
  return { abi, bytecode: bytecode.object, linkReferences: bytecode.linkReferences };
}

// Truffle's layout: <folder>/<name>.json
function built(files, names, folder = 'build/contracts') {
  return Object.fromEntries(names.map((name) => {
    const { abi, bytecode } = JSON.parse(files.get(`${folder}/${name}.json`).toString('utf8'));
    return [name, { abi, bytecode }];
  }));
}

// Hardhat's layout: <folder>/<path>.sol/<name>.json
function picked(files, folder, paths) {
  return Object.fromEntries(paths.map((path) => {
    const name = path.split('/').at(-1);
    const { abi, bytecode, linkReferences } = JSON.parse(files.get(`${folder}/${path}.sol/${name}.json`).toString('utf8'));
    return [name, { abi, bytecode, linkReferences }];
  }));
}

function compiled(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol')).sort();
  return output(solc, Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')])), { evmVersion: 'cancun' });
}

// SushiSwap's sources; and beside MasterChef what its forks make of it: the same contract
// with its views named after another token.
async function sushi() {
  const [core, openZeppelin, compiler] = await Promise.all(['@sushiswap/core', '@openzeppelin/contracts', 'solc'].map(packed));
  const chef = core.get('contracts/MasterChef.sol').toString('utf8');
  const sources = Object.fromEntries([
    ...['MasterChef', 'SushiBar', 'SushiToken'].map((name) => [`sushi/${name}.sol`, core.get(`contracts/${name}.sol`).toString('utf8')]),
    ['sushi/MasterChefFork.sol', chef
      .replace('contract MasterChef ', 'contract MasterChefFork ')
      .replace('pendingSushi', 'pendingBOO')
      .replace(/\bsushi(?=PerBlock\b|\b)/g, 'boo')],
    ...[...openZeppelin].filter(([path]) => path.endsWith('.sol')).map(([path, content]) => [`@openzeppelin/contracts/${path.replace(/^contracts\//, '')}`, content.toString('utf8')]),
  ]);
  const { MasterChef, MasterChefFork, SushiBar, SushiToken } = output(oldCompiler(compiler), sources, {}, Object.keys(sources).filter((path) => path.startsWith('sushi/')));
  return { MasterChef, MasterChefFork, SushiBar, SushiToken };
}

// Morpho Blue by the compiler that it names; vaults and the rate model by ours, for which the sources allow.
async function morpho() {
  const names = ['@morpho-org/morpho-blue', 'solc@0.8.19', 'sphere-mezo-solidity-files', '@openzeppelin/contracts@5.4.0'];
  const [blue, compiler, port, openZeppelin] = await Promise.all(names.map(packed));
  const sources = (files, keep, rename = (path) => path) => Object.fromEntries([...files]
    .filter(([path]) => path.endsWith('.sol') && keep.test(path)).map(([path, content]) => [rename(path), content.toString('utf8')]));
  const { Morpho } = output(oldCompiler(compiler, '0.8.19'), sources(blue, /^src\/(?!mocks|libraries\/periphery)/), {}, ['src/Morpho.sol']);
  const vaults = {
    ...sources(port, /^domains\/(morpho|metamorpho|morphoIrm)\/contracts\/(?!mocks|Testing)/),
    ...sources(openZeppelin, /./, (path) => `@openzeppelin/contracts/${path}`),
  };
  const folder = (domain, name) => `domains/${domain}/contracts/${name}.sol`;
  const { MetaMorpho, AdaptiveCurveIrm } = output(solc, vaults, {}, [folder('metamorpho', 'MetaMorpho'), folder('morphoIrm', 'AdaptiveCurveIrm')]);
  return { Morpho, MetaMorpho, AdaptiveCurveIrm };
}

// Compiled with the version that its sources name, which fails with more of them than are imported.
async function symbiotic() {
  const names = ['@symbioticfi/core', 'solc@0.8.25', '@openzeppelin/contracts@5.0.2', '@openzeppelin/contracts-upgradeable'];
  const [core, compiler, contracts, upgradeable] = await Promise.all(names.map(packed));
  const text = (path) => {
    const [, folder, rest] = /^(@openzeppelin\/contracts(?:-upgradeable)?)\/(.*)/.exec(path) ?? [];
    const content = folder ? (folder.endsWith('e') ? upgradeable : contracts).get(rest) : core.get(path);
    if (!content) throw new Error(`${path} is missing`);
    return content.toString('utf8');
  };
  const wanted = ['src/contracts/VaultFactory.sol', 'src/contracts/vault/Vault.sol'];
  const sources = {};
  for (const paths = [...wanted]; paths.length > 0;) {
    const path = paths.pop();
    if (sources[path]) continue;
    sources[path] = text(path);
    const imported = [...sources[path].matchAll(/^import[^;]*?"([^"]+)";/gm)].map(([, to]) => to);
    paths.push(...imported.map((to) => (to.startsWith('.') ? posix.join(posix.dirname(path), to) : to)));
  }
  const { Vault, VaultFactory } = output(oldCompiler(compiler, '0.8.25'), sources, {}, wanted);
  return { SymbioticVault: Vault, SymbioticVaultFactory: VaultFactory };
}

// As deployed on Ethereum: the sources of its list of contracts, whose code lacks the prefix.
async function synthetix() {
  const { sources } = JSON.parse((await packed('synthetix')).get('publish/deployed/mainnet/deployment.json').toString('utf8'));
  const names = ['AddressResolver', 'RewardEscrowV2', 'RewardEscrowV2Storage'];
  return Object.fromEntries(names.map((name) => [name, { abi: sources[name].abi, bytecode: `0x${sources[name].bytecode}` }]));
}

// Balancer has a contract named Vault too.
async function yearn() {
  const { Registry, Vault } = built(await packed('@setprotocol/set-protocol-v2'), ['Registry', 'Vault'], 'external/abi/yearn');
  return { YearnRegistry: Registry, YearnVault: Vault };
}

// A generation of Algebra, whose contracts have the names of the other's and of Uniswap's.
async function algebra(generation, core, periphery) {
  const { AlgebraFactory, AlgebraPoolDeployer } = picked(await packed(core), 'artifacts/contracts', ['AlgebraFactory', 'AlgebraPoolDeployer']);
  const { NonfungiblePositionManager, SwapRouter } = picked(await packed(periphery), 'artifacts/contracts', ['NonfungiblePositionManager', 'SwapRouter']);
  return {
    [`${generation}Factory`]: AlgebraFactory, [`${generation}PoolDeployer`]: AlgebraPoolDeployer,
    [`${generation}PositionManager`]: NonfungiblePositionManager, [`${generation}SwapRouter`]: SwapRouter,
  };
}

// OpenZeppelin's vault is abstract: the only thing of our own is its constructor.
async function savings() {
  const openZeppelin = [...await packed('@openzeppelin/contracts@5.4.0')].filter(([path]) => path.endsWith('.sol'));
  const sources = Object.fromEntries(openZeppelin.map(([path, content]) => [`@openzeppelin/contracts/${path}`, content.toString('utf8')]));
  sources['SavingsVault.sol'] = `
    pragma solidity ^0.8.30;
    import { ERC20, ERC4626, IERC20 } from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
    contract SavingsVault is ERC4626 {
        constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC4626(asset_) ERC20(name_, symbol_) {}
    }`;
  const { SavingsVault } = output(solc, sources, {}, ['SavingsVault.sol']);
  return { SavingsVault };
}

// The packaged compiler is one file, which has to be a file of its own to be loaded.
function oldCompiler(files, version = '0.6.12') {
  const path = `${packsFolder}soljson-${version}.cjs`;
  if (!existsSync(path)) writeFileSync(path, files.get('soljson.js'));
  const events = ['uncaughtException', 'unhandledRejection'];
  const before = events.map((event) => process.listeners(event));
  const compiler = wrapper(require(path));
  // It takes over what the process does with errors; that stays ours.
  events.forEach((event, i) => process.listeners(event).filter((own) => !before[i].includes(own)).forEach((own) => process.removeListener(event, own)));
  return compiler;
}

function output(compiler, texts, settings, wanted = ['*']) {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(texts).map(([path, content]) => [path, { content }])),
    settings: {
      optimizer: { enabled: true, runs: RUNS },
      ...settings,
      outputSelection: Object.fromEntries(wanted.map((path) => [path, { '*': ['abi', 'evm.bytecode.object'] }])),
    },
  };
  const result = JSON.parse(compiler.compile(JSON.stringify(input)));
  const errors = (result.errors ?? []).filter((e) => e.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.values(result.contracts).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }])),
  );
}
