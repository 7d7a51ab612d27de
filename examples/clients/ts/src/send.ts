// Signing and sending claims with viem.

import type { Account, Chain, Hex, PublicClient, TransactionReceipt, Transport, WalletClient } from 'viem';

import type { Claim, Verdict } from './claims.js';

/** The account that claims, and the network that it claims on. */
export type Signer = { wallet: WalletClient<Transport, Chain | undefined, Account>; network: PublicClient };

/** What is sent beside claims that pay what they say. */
export type Consent = {
  /** Verdicts that were looked at, and are accepted: `paid` always is, and `refused` never can be. */
  accept?: Exclude<Verdict, 'paid' | 'refused'>[];
  /** How long a transaction may take until it is mined, in milliseconds; 120,000 by default. */
  minedWithinMs?: number;
};

/** A claim that is not sent, and why. */
export class ClaimNotSent extends Error {
  override readonly name = 'ClaimNotSent';

  constructor(
    readonly claim: Claim,
    readonly reason: Verdict | 'nothing to send' | 'another account' | 'another network',
  ) {
    super(`${claim.ids.join(', ')} is not sent: ${[reason, ...claim.differs].join(': ')}`);
  }
}

/** A transaction that failed on the chain; the steps after it were not sent. */
export class ClaimReverted extends Error {
  override readonly name = 'ClaimReverted';

  constructor(
    readonly claim: Claim,
    /** Of the steps that were mined; the last one failed. */
    readonly receipts: TransactionReceipt[],
  ) {
    super(`step ${receipts.length} of ${claim.ids.join(', ')} failed on the chain`);
  }
}

/**
 * Signs the steps of a claim, to be sent in this order by whoever gets them.
 *
 * @throws ClaimNotSent if it does not say that it pays and its verdict was not accepted, or it is another account's or
 * another network's.
 */
export async function signClaim(claim: Claim, signer: Signer, consent: Consent = {}): Promise<Hex[]> {
  await check(claim, signer, consent);
  const { wallet, network } = signer;
  const nonce = await network.getTransactionCount({ address: wallet.account.address, blockTag: 'pending' });
  const signed: Hex[] = [];
  for (const [place, step] of claim.steps.entries()) {
    const request = await wallet.prepareTransactionRequest({ ...transaction(step), chain: null, nonce: nonce + place });
    signed.push(await wallet.signTransaction({ ...request, chain: null } as Parameters<typeof wallet.signTransaction>[0]));
  }
  return signed;
}

/**
 * Sends the steps of a claim one by one, each once the one before it is mined, and returns their receipts.
 *
 * @throws ClaimNotSent as `signClaim` does, before anything is sent; ClaimReverted if a step fails.
 */
export async function sendClaim(claim: Claim, signer: Signer, consent: Consent = {}): Promise<TransactionReceipt[]> {
  await check(claim, signer, consent);
  const { wallet, network } = signer;
  const receipts: TransactionReceipt[] = [];
  for (const step of claim.steps) {
    const hash = await wallet.sendTransaction({ ...transaction(step), chain: null });
    const receipt = await network.waitForTransactionReceipt({ hash, timeout: consent.minedWithinMs ?? 120_000, pollingInterval: 250 });
    receipts.push(receipt);
    if (receipt.status !== 'success') throw new ClaimReverted(claim, receipts);
  }
  return receipts;
}

async function check(claim: Claim, { wallet }: Signer, { accept = [] }: Consent): Promise<void> {
  const { verdict } = claim;
  if (verdict === 'refused') throw new ClaimNotSent(claim, verdict);
  if (claim.steps.length === 0) throw new ClaimNotSent(claim, 'nothing to send');
  if (verdict !== 'paid' && !accept.includes(verdict)) throw new ClaimNotSent(claim, verdict);
  if (claim.account.toLowerCase() !== wallet.account.address.toLowerCase()) throw new ClaimNotSent(claim, 'another account');
  if ((await wallet.getChainId()) !== claim.chainId) throw new ClaimNotSent(claim, 'another network');
}

function transaction({ to, data, value, gas }: Claim['steps'][number]) {
  return { to, data, value, ...(gas === undefined ? {} : { gas }) };
}
