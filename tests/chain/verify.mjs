// node verify.mjs OUTDIR: claims everything that OUTDIR's expected values say can be
// claimed, each from the snapshot, exactly as written there: in a block of the snapshot's
// timestamp it pays `amountRaw`, and what one block more pays.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Anvil } from './lib/anvil.mjs';

const SUFFIX = '.expected.json';
const BALANCE_OF = '0x70a08231';
const GAS = '0x4c4b40'; // 5,000,000
const RICH = '0x8ac7230489e80000'; // 10 ether

const out = process.argv[2];
if (!out) {
  console.error('usage: node verify.mjs OUTDIR');
  process.exit(2);
}
let wrong = 0;
for (const file of readdirSync(out).filter((name) => name.endsWith(SUFFIX)).sort()) await verify(file.slice(0, -SUFFIX.length));
process.exit(wrong > 0 ? 1 : 0);

async function verify(profile) {
  const { chainId, block, accounts } = JSON.parse(readFileSync(join(out, `${profile}${SUFFIX}`), 'utf8'));
  const anvil = await Anvil.load(chainId, block.timestamp, join(out, `${profile}.state.json`));
  try {
    const claims = Object.values(accounts).flatMap(({ claimables }) => claimables);
    for (const claim of claims) {
      const paid = await claimed(anvil, block, claim);
      const promised = BigInt(claim.amountRaw) + BigInt(claim.emissionPerBlockRaw ?? 0);
      if (paid === promised) continue;
      wrong++;
      console.error(`${profile}: ${claim.protocol} ${claim.function} of ${claim.contract} by ${claim.from} pays ${paid} of ${claim.token}, expected ${promised}`);
    }
    console.error(`${profile}: ${claims.length} claims tried`);
  } finally {
    await anvil.stop();
  }
}

async function claimed(anvil, block, { token, from, to, data }) {
  const balance = async () => BigInt(await anvil.rpc('eth_call', { to: token, data: `${BALANCE_OF}${from.slice(2).padStart(64, '0')}` }, 'latest'));
  const snapshot = await anvil.rpc('evm_snapshot');
  const before = await balance();
  await anvil.batch([['anvil_setBalance', from, RICH], ['anvil_impersonateAccount', from], ['evm_setNextBlockTimestamp', block.timestamp]]);
  const hash = await anvil.rpc('eth_sendTransaction', { from, to, data, gas: GAS });
  await anvil.rpc('evm_mine');
  const receipt = await anvil.rpc('eth_getTransactionReceipt', hash);
  const paid = (await balance()) - before;
  await anvil.rpc('evm_revert', snapshot);
  if (receipt?.status !== '0x1') return 'nothing: reverted,';
  if (BigInt(receipt.blockNumber) !== BigInt(block.number) + 1n) return `at block ${BigInt(receipt.blockNumber)}`;
  return paid;
}
