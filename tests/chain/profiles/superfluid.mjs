// Chain id 1: Superfluid with its own bytecode: super tokens that wrap dollars, ether and nothing, streams between accounts,
// and a pool with a member that has to claim and one that need not. The tests know by arithmetic what its accounts have; see
// tests/tests/e2e/superfluid.rs.
import { ERC1820, ERC1820_CODE } from '../lib/artifacts.mjs';
import { MULTICALL3 } from '../lib/world.mjs';
import { SETUP, SNAPSHOT } from './times.mjs';

const ONE = 10n ** 18n;
const USDC = 10n ** 6n;
const ALL = 2n ** 256n - 1n;
const MILLION_S = 1_000_000;
const NOBODY = `0x${'0'.repeat(40)}`;
const LIQUIDATION_S = 14_400n; // A stream's deposit is what it pays in that time.

export const superfluid = {
  name: 'superfluid',
  chainId: 1,
  native: ONE,
  async populate(world) {
    await world.place([[MULTICALL3, 'Multicall3']]);
    await world.replaceCode(ERC1820, ERC1820_CODE);
    await world.at(SETUP);
    const usdc = world.deploy('TokenDouble', ['USD Coin', 'USDC', 6]);
    const dai = world.deploy('TokenDouble', ['Dai', 'DAI', 18]);
    const framework = deployed(world);
    await world.mine();
    const tokens = await superTokens(world, framework, { usdc, dai });
    streams(world, framework, tokens);
    const pool = await distribution(world, framework, tokens.superDai);
    await world.at(SNAPSHOT);
    const { flows, pools } = framework;
    return { contracts: { multicall3: MULTICALL3 }, prices: {}, more: { superfluid: { flows, pools, pool, ...tokens }, assets: { usdc, dai, ...tokens } } };
  },
};

// The contracts as they are deployed where nothing is upgradable.
function deployed(world) {
  const act = (to, artifact, name, args) => world.send('deployer', to, artifact, name, args);
  const governance = world.deploy('TestGovernance');
  const helpers = ['SimpleForwarder', 'ERC2771Forwarder', 'SimpleACL'].map((name) => world.deploy(name));
  const host = world.deploy('Superfluid', [true, false, 3_000_000n, ...helpers]);
  helpers.slice(0, 2).forEach((helper) => act(helper, 'SimpleForwarder', 'transferOwnership', [host]));
  act(host, 'Superfluid', 'initialize', [governance]);
  act(governance, 'TestGovernance', 'initialize', [host, world.accounts.bystander, LIQUIDATION_S, 1_800n, []]);
  const cfa = world.deploy('ConstantFlowAgreementV1', [host]);
  const libraries = Object.fromEntries(['SlotsBitmapLibrary', 'SuperfluidPoolDeployerLibrary'].map((name) => [name, world.deploy(name)]));
  // Pools and their agreement name each other: the beacon gets the real logic afterwards.
  const beacon = world.deploy('SuperfluidUpgradeableBeacon', [world.deploy('SuperfluidPool', [NOBODY])]);
  const gda = world.deploy('GeneralDistributionAgreementV1', [host, beacon], libraries);
  [cfa, gda].forEach((agreement) => act(governance, 'TestGovernance', 'registerAgreementClass', [host, agreement]));
  act(beacon, 'SuperfluidUpgradeableBeacon', 'upgradeTo', [world.deploy('SuperfluidPool', [gda])]);
  const nftLogic = world.deploy('PoolAdminNFT', [host, gda]);
  const nft = world.deploy('UUPSProxy');
  act(nft, 'UUPSProxy', 'initializeProxy', [nftLogic]);
  act(nft, 'PoolAdminNFT', 'initialize', ['Pool Admin NFT', 'PA']);
  const [flows, pools] = ['CFAv1Forwarder', 'GDAv1Forwarder'].map((name) => world.deploy(name, [host]));
  [flows, pools].forEach((forwarder) => act(governance, 'TestGovernance', 'enableTrustedForwarder', [host, NOBODY, forwarder]));
  const logic = world.deploy('SuperToken', [host, nft]);
  const factory = world.deploy('SuperTokenFactory', [host, logic, nftLogic, NOBODY]);
  act(governance, 'TestGovernance', 'updateContracts', [host, NOBODY, [], factory, NOBODY]);
  return { factory, flows, pools };
}

async function superTokens(world, { factory }, { usdc, dai }) {
  const wrapper = async (underlying, decimals, name, symbol) => {
    const args = [underlying, decimals, 2, name, symbol];
    const token = await world.view(factory, 'SuperTokenFactory', 'createERC20Wrapper', args);
    world.send('deployer', factory, 'SuperTokenFactory', 'createERC20Wrapper', args);
    await world.mine();
    return token.toLowerCase();
  };
  const superUsdc = await wrapper(usdc, 6, 'Super USD Coin', 'USDCx');
  const superDai = await wrapper(dai, 18, 'Super Dai', 'DAIx');
  const custom = (artifact) => {
    const token = world.deploy(artifact);
    world.send('deployer', factory, 'SuperTokenFactory', 'initializeCustomSuperToken', [token]);
    return token;
  };
  const superEther = custom('SETHProxy');
  world.send('deployer', superEther, 'SuperToken', 'initialize', [NOBODY, 18, 'Super Ether', 'ETHx']);
  const pure = custom('PureSuperToken');
  world.send('deployer', pure, 'PureSuperToken', 'initialize', ['Pure', 'PURE', 1_000n * ONE]);
  const wrap = (who, token, superToken, whole, one) => {
    world.send('deployer', token, 'TokenDouble', 'mint', [world.accounts[who], whole * one]);
    world.send(who, token, 'TokenDouble', 'approve', [superToken, ALL]);
    world.send(who, superToken, 'SuperToken', 'upgrade', [whole * ONE]);
  };
  wrap('whale', usdc, superUsdc, 10_000n, USDC);
  wrap('odd', usdc, superUsdc, 1n, USDC);
  wrap('exited', usdc, superUsdc, 4n, USDC);
  wrap('deployer', dai, superDai, 1_000n, ONE);
  world.send('farmer', superEther, 'SETHProxy', 'upgradeByETH', [], 2n * ONE);
  world.send('whale', superUsdc, 'SuperToken', 'transfer', [world.accounts.dust, 1n]);
  world.send('deployer', pure, 'SuperToken', 'transfer', [world.accounts.farmer, 5n * ONE]);
  world.send('deployer', pure, 'SuperToken', 'transfer', [world.accounts.whale, 7n * ONE]);
  await world.mine();
  return { superUsdc, superDai, superEther, pure };
}

// The whale and the deployer have paid the farmer for a million seconds. The odd one has streamed 0.99 of its one dollar and
// so has used up a part of its deposit. The exited one has ended its stream, and unwrapped what was left.
function streams(world, { flows }, { superUsdc, pure }) {
  const begin = (from, token, to, rate) => () =>
    world.send(from, flows, 'CFAv1Forwarder', 'createFlow', [token, world.accounts[from], world.accounts[to], rate, '0x']);
  world.plan(SETUP + 10_000, begin('exited', superUsdc, 'bystander', 10n ** 12n));
  world.plan(SETUP + 1_010_000, () => {
    world.send('exited', flows, 'CFAv1Forwarder', 'deleteFlow', [superUsdc, world.accounts.exited, world.accounts.bystander, '0x']);
    world.send('exited', superUsdc, 'SuperToken', 'downgrade', [3n * ONE]);
  });
  world.plan(SNAPSHOT - MILLION_S, begin('whale', superUsdc, 'farmer', 10n ** 13n));
  world.plan(SNAPSHOT - MILLION_S, begin('deployer', pure, 'farmer', 10n ** 12n));
  world.plan(SNAPSHOT - 990_000, begin('odd', superUsdc, 'bystander', 10n ** 12n));
}

// Of 40, the farmer's three of four shares have to be claimed; the whale's has gone into its balance.
async function distribution(world, { pools }, superDai) {
  const { deployer, farmer, whale } = world.accounts;
  const act = (from, name, args) => world.send(from, pools, 'GDAv1Forwarder', name, args);
  const args = [superDai, deployer, { transferabilityForUnitsOwner: false, distributionFromAnyAddress: false }];
  const [, pool] = await world.view(pools, 'GDAv1Forwarder', 'createPool', args);
  act('deployer', 'createPool', args);
  act('deployer', 'updateMemberUnits', [pool, farmer, 3n, '0x']);
  act('deployer', 'updateMemberUnits', [pool, whale, 1n, '0x']);
  act('whale', 'connectPool', [pool, '0x']);
  act('deployer', 'distribute', [superDai, deployer, pool, 40n * ONE, '0x']);
  await world.mine();
  return pool.toLowerCase();
}
