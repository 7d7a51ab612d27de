// node build.mjs OUTDIR: builds every profile on an anvil of its own and writes
// OUTDIR/<profile>.state.json (for `anvil --load-state`) and OUTDIR/<profile>.expected.json
// (what the service must answer, by arithmetic); where there is a token list, OUTDIR/<profile>.tokens.json.
// Same input, same output.
import { copyFileSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Anvil } from './lib/anvil.mjs';
import { artifacts } from './lib/artifacts.mjs';
import { check } from './lib/check.mjs';
import { expected } from './lib/expected.mjs';
import { World } from './lib/world.mjs';
import { accountants } from './profiles/accountants.mjs';
import { boosters } from './profiles/boosters.mjs';
import { cdps } from './profiles/cdps.mjs';
import { chefs } from './profiles/chefs.mjs';
import { comets } from './profiles/comets.mjs';
import { comptroller } from './profiles/comptroller.mjs';
import { credit } from './profiles/credit.mjs';
import { curve } from './profiles/curve.mjs';
import { escrows } from './profiles/escrows.mjs';
import { ethereum } from './profiles/ethereum.mjs';
import { fantom } from './profiles/fantom.mjs';
import { frax } from './profiles/frax.mjs';
import { gmx } from './profiles/gmx.mjs';
import { lenders } from './profiles/lenders.mjs';
import { listed } from './profiles/listed.mjs';
import { lista } from './profiles/lista.mjs';
import { lockers } from './profiles/lockers.mjs';
import { morphoBlue } from './profiles/morpho.mjs';
import { names } from './profiles/names.mjs';
import { optimism } from './profiles/optimism.mjs';
import { optimismGauges } from './profiles/optimism_gauges.mjs';
import { pendle } from './profiles/pendle.mjs';
import { polygon } from './profiles/polygon.mjs';
import { positions } from './profiles/positions.mjs';
import { shares } from './profiles/shares.mjs';
import { silos } from './profiles/silos.mjs';
import { staked } from './profiles/staked.mjs';
import { superfluid } from './profiles/superfluid.mjs';
import { templates } from './profiles/templates.mjs';
import { GENESIS } from './profiles/times.mjs';
import { troves } from './profiles/troves.mjs';
import { umbrella } from './profiles/umbrella.mjs';
import { vaults } from './profiles/vaults.mjs';
import { vesting } from './profiles/vesting.mjs';
import { voters } from './profiles/voters.mjs';
import { wrappers } from './profiles/wrappers.mjs';
import { yearn } from './profiles/yearn.mjs';

const VIEM = ['viem', '@adraffy', '@noble', '@scure', 'abitype', 'eventemitter3', 'isows', 'ox', 'ws'];
const LOADED = /\.(js|mjs|json)$/;
const UNLOADED = /\/(_cjs|_types|dist\/cjs|dist\/types)$/;

const out = process.argv[2];
if (!out) {
  console.error('usage: node build.mjs OUTDIR');
  process.exit(2);
}
mkdirSync(out, { recursive: true });
// For programs.mjs: the packages are not kept.
copyFileSync(new URL('node_modules/solc/soljson.js', import.meta.url), join(out, 'soljson.cjs'));
keepViem();
// For tests that place them on a running chain.
const DOUBLES = ['DetectorDouble', 'FarmDouble', 'TaxedTokenDouble', 'TokenDouble'];
writeFileSync(join(out, 'doubles.json'), JSON.stringify(Object.fromEntries(DOUBLES.map((name) => [name, artifacts[name].bytecode]))));
const PROFILES = [polygon, ethereum, optimism, optimismGauges, fantom, names, accountants, boosters, cdps, chefs, comets, comptroller, credit, curve, escrows, frax, gmx, lenders, lista, lockers, morphoBlue, pendle, positions, shares, silos, staked, superfluid, templates, troves, umbrella, vaults, vesting, voters, wrappers, yearn, ...listed];
const results = await Promise.allSettled(PROFILES.map(build));
const failed = results.filter(({ status }) => status === 'rejected');
failed.forEach(({ reason }) => console.error(reason));
process.exit(failed.length > 0 ? 1 : 0);

// viem and what it imports, as far as node loads it, beside the scripts that tests use it with.
function keepViem() {
  const from = new URL('.', import.meta.url).pathname;
  for (const script of ['viem_names.mjs', 'events.mjs']) copyFileSync(join(from, script), join(out, script));
  const isLoaded = (path) => (statSync(path).isDirectory() ? !UNLOADED.test(path) : LOADED.test(path));
  for (const name of VIEM) cpSync(join(from, 'node_modules', name), join(out, 'node_modules', name), { recursive: true, filter: isLoaded });
}

async function build(profile) {
  const anvil = await Anvil.start(profile.chainId, GENESIS);
  try {
    const world = await World.create(anvil, GENESIS);
    const { contracts, prices, settings = {}, more = {}, last } = await profile.populate(world);
    const native = await fixNativeBalances(world, profile.native);
    const block = await world.seal(last);
    await check(world, contracts);
    const answer = expected(world, { profile: profile.name, chainId: profile.chainId, block, prices, contracts, settings, native });
    writeFileSync(join(out, `${profile.name}.expected.json`), `${JSON.stringify({ ...answer, ...more }, null, 1)}\n`);
    if (world.list) writeFileSync(join(out, `${profile.name}.tokens.json`), JSON.stringify(world.list.document(profile.chainId)));
    writeFileSync(join(out, `${profile.name}.state.json`), await anvil.dump());
  } catch (error) {
    throw new Error(`profile ${profile.name}`, { cause: error });
  } finally {
    await anvil.stop();
  }
}

// Sets round balances, as gas has left odd rests of anvil's 10000; they differ by network.
async function fixNativeBalances(world, base) {
  await world.mine();
  const native = Object.fromEntries(Object.keys(world.accounts).map((who, i) => [who, base * BigInt(i) + BigInt(i)]));
  native.nothing = 0n;
  await world.anvil.batch(Object.entries(native).map(([who, wei]) => ['anvil_setBalance', world.accounts[who], `0x${wei.toString(16)}`]));
  return native;
}
