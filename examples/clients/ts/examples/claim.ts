// Claims what an account can claim on one network, and says what it has more of each token.
//   node dist/examples/claim.js polygon          claim by claim
//   node dist/examples/claim.js polygon --plan   by a plan of all claims
// PORTOLAN_URL is the gateway's address, CHAIN_URL_POLYGON that of a node of the network, and ACCOUNT_KEY signs.
// Exit code 3 says that something was not sent, or could not be read.

import { createPublicClient, createWalletClient, erc20Abi, formatUnits, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

import { type Claim, ClaimNotSent, claimOfPlan, claimsOf, type Payment, Portolan, sendClaim } from '../src/index.js';

const [network = '', way] = process.argv.slice(2);
const nodeName = `CHAIN_URL_${network.toUpperCase()}`;
const { PORTOLAN_URL = 'http://127.0.0.1:8080', ACCOUNT_KEY, [nodeName]: node } = process.env;
if (network === '' || ACCOUNT_KEY === undefined || node === undefined) {
  console.error(`usage: ACCOUNT_KEY=0x… CHAIN_URL_NETWORK=http://… node claim.js NETWORK [--plan]`);
  process.exit(2);
}

const portolan = new Portolan({ url: PORTOLAN_URL });
const transport = http(node);
const account = privateKeyToAccount(ACCOUNT_KEY as Hex);
const chain = createPublicClient({ transport });
const signer = { wallet: createWalletClient({ account, transport }), network: chain };

const { claims, missing } = await claimable();
for (const gap of missing) console.error(`missing: ${gap.what}/${gap.network}: ${gap.reason}`);
let left = missing.length;
for (const claim of claims) left += (await claimAndShow(claim)) ? 0 : 1;
process.exitCode = left > 0 ? 3 : 0;

async function claimable() {
  if (way === '--plan') {
    const { plan, missing } = await portolan.plan(account.address, network);
    // A plan of nothing is not a failure.
    return { claims: plan.transactions.length > 0 ? [claimOfPlan(plan)] : [], missing };
  }
  const { rows, missing } = await portolan.claimables(account.address, { network });
  return { claims: claimsOf(rows, account.address), missing };
}

async function claimAndShow(claim: Claim): Promise<boolean> {
  const before = await Promise.all(claim.pays.map(balance));
  try {
    const receipts = await sendClaim(claim, signer);
    console.log(`sent ${receipts.map(({ transactionHash }) => transactionHash).join(', ')}`);
  } catch (error) {
    if (!(error instanceof ClaimNotSent)) throw error;
    console.log(error.message);
    return false;
  }
  for (const [place, payment] of claim.pays.entries()) {
    const [was, is] = [before[place] ?? 0n, await balance(payment)];
    const units = (raw: bigint) => formatUnits(raw, payment.unit?.decimals ?? 0);
    const whither = payment.to === 'account' ? '' : ` (paid into a ${payment.to})`;
    console.log(`  ${units(is - was)} ${payment.unit?.symbol ?? payment.token}: ${units(was)} before, ${units(is)} now${whither}`);
  }
  return true;
}

async function balance({ token }: Payment): Promise<bigint> {
  const { address } = account;
  // The native token has the address 0x0.
  if (BigInt(token) === 0n) return chain.getBalance({ address });
  return chain.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
}
