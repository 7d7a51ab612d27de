// Hands calls to a wallet, and follows what becomes of them through the wallet's own provider.

import { type Address, type EIP1193Provider, type Hex, hexToBigInt, numberToHex } from 'viem';
import type { Step } from '../api/client.js';

/** What becomes of the calls. `sent` comes once for each transaction that the wallet names. */
export type Following = { sent: (hash: string) => void; signal: AbortSignal };

export type Outcome = { hash: string; succeeded: boolean };

/** Transactions are looked for this often, and this long. */
const POLL_MS = 1000;
const MINED_WITHIN_MS = 15 * 60_000;

/** A wallet's answer to `wallet_getCallsStatus` (EIP-5792). */
type CallsStatus = { status: number; receipts?: { transactionHash: Hex; status: Hex }[] };

/** The wallet's user said no. */
export function isRefusal(failure: unknown): boolean {
  return codeOf(failure) === 4001;
}

/** Says in a sentence what a wallet's error means. */
export function walletSays(failure: unknown): string {
  if (isRefusal(failure)) return 'You refused it in the wallet. Nothing was sent.';
  if (codeOf(failure) === -32002) return 'The wallet has a request open already. Look into the wallet.';
  return failure instanceof Error || (typeof failure === 'object' && failure && 'message' in failure) ? `The wallet says: ${String((failure as Error).message).slice(0, 300)}` : 'The wallet failed without a reason.';
}

/** Changes the wallet's network to the claims'. @throws Error if it stays on another one. */
export async function useChain(provider: EIP1193Provider, chainId: number): Promise<void> {
  const wanted = numberToHex(chainId);
  if (await isOn(provider, chainId)) return;
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
  if (!(await isOn(provider, chainId))) throw new Error(`The wallet is still on another network than chain ${chainId}.`);
}

/** True if the wallet takes calls as one request (EIP-5792) on this chain. */
export async function takesCalls(provider: EIP1193Provider, account: string, chainId: number): Promise<boolean> {
  const chain = numberToHex(chainId);
  try {
    const all = await provider.request({ method: 'wallet_getCapabilities', params: [account as Address, [chain]] });
    return chain in all || '0x0' in all;
  } catch {
    // A wallet without the method knows no calls.
    return false;
  }
}

/** Sends calls as one request, and waits until they are mined. */
export async function sendCalls(provider: EIP1193Provider, request: { method: string; params: unknown[] }, following: Following): Promise<Outcome[]> {
  const call = provider.request as (request: { method: string; params: unknown[] }) => Promise<unknown>;
  const sent = await call(request);
  const id = typeof sent === 'string' ? sent : (sent as { id: string }).id;
  const seen = new Set<string>();
  return poll(following.signal, async () => {
    const { status, receipts = [] } = (await call({ method: 'wallet_getCallsStatus', params: [id] })) as CallsStatus;
    for (const { transactionHash } of receipts) {
      if (!seen.has(transactionHash)) following.sent(transactionHash);
      seen.add(transactionHash);
    }
    // 1xx is pending; of the others, 2xx is confirmed, and the rest failed as a whole or in part.
    if (status < 200) return undefined;
    if (receipts.length === 0 && status >= 300) throw new Error(`The wallet did not make the calls (status ${status}).`);
    return receipts.map(({ transactionHash, status: mined }) => ({ hash: transactionHash, succeeded: BigInt(mined) === 1n }));
  });
}

/** Sends steps one by one, each once the one before it is mined, and stops at the first that fails. */
export async function sendSteps(provider: EIP1193Provider, account: string, steps: Step[], following: Following): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { to, data, value, gas } of steps) {
    const transaction = { from: account as Address, to, data, value: numberToHex(value), ...(gas === undefined ? {} : { gas: numberToHex(gas) }) };
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] });
    following.sent(hash);
    const succeeded = await mined(provider, hash, following.signal);
    outcomes.push({ hash, succeeded });
    if (!succeeded) break;
  }
  return outcomes;
}

/** Waits for a transaction's receipt. Returns false if it failed on the chain. */
async function mined(provider: EIP1193Provider, hash: Hex, signal: AbortSignal): Promise<boolean> {
  return poll(signal, async () => {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    return receipt ? hexToBigInt(receipt.status) === 1n : undefined;
  });
}

/** Looks again and again until there is something. @throws Error after a quarter of an hour, or when the signal ends. */
async function poll<Found>(signal: AbortSignal, look: () => Promise<Found | undefined>): Promise<Found> {
  const until = Date.now() + MINED_WITHIN_MS;
  while (Date.now() < until) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
  }
  throw new Error('It was sent, but no block had it within a quarter of an hour. The wallet shows what becomes of it.');
}

async function isOn(provider: EIP1193Provider, chainId: number): Promise<boolean> {
  return Number(await provider.request({ method: 'eth_chainId' })) === chainId;
}

function codeOf(failure: unknown): unknown {
  return typeof failure === 'object' && failure !== null && 'code' in failure ? failure.code : undefined;
}
