// Claims of rows that need care: several of one claim, refused ones, several steps, fees, locks.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createPublicClient, createWalletClient, custom, type Hex, parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

import { type Claim, type Claimable, ClaimNotSent, claimOfPlan, type ClaimPlan, ClaimReverted, claimsOf, sendClaim, signClaim, type Transaction } from '../src/index.js';

// The second account of the mnemonic of all test nodes.
const account = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const FARM = '0x00000000000000000000000000000000000fa12a';
const network = { name: 'POLYGON', logo: 'https://example.org/polygon.png', chainId: 137 };
const token = { address: '0x00000000000000000000000000000000000070ce', name: 'Token', symbol: 'TKN', decimals: 18, logo: null, type: 'SINGLE' };

function transaction(data: Hex, more: Partial<Transaction> = {}): Transaction {
  return { network, to: FARM, from: account.address.toLowerCase(), data, gas: 100_000, ...more };
}

function row(more: Partial<Claimable> = {}): Claimable {
  const claimTransaction = transaction('0x3d18b912');
  return { id: 'one', claimId: 'one', name: 'One', network, dollarValue: '0', netDollarValue: null, amount: '1.5', token, simulated: 'paid', claimTransaction, ...more } as Claimable;
}

/** A node that mines everything at once; `fails` is the data of transactions that fail. */
function signer(chainId = 137, fails: Hex[] = []) {
  const sent: { nonce: number; data: Hex; value: bigint; gas: bigint }[] = [];
  const receipt = (hash: Hex, place: number, failed: boolean) => ({
    transactionHash: hash, blockHash: hash, blockNumber: '0x1', transactionIndex: '0x0', from: account.address, to: FARM, contractAddress: null,
    cumulativeGasUsed: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [], logsBloom: '0x', type: '0x2', nonce: place, status: failed ? '0x0' : '0x1',
  });
  const receipts = new Map<Hex, ReturnType<typeof receipt>>();
  const transport = custom({
    async request({ method, params }: { method: string; params: unknown[] }) {
      switch (method) {
        case 'eth_chainId': return `0x${chainId.toString(16)}`;
        case 'eth_getTransactionCount': return `0x${(7 + sent.length).toString(16)}`;
        case 'eth_maxPriorityFeePerGas': return '0x1';
        case 'eth_blockNumber': return '0x1';
        case 'eth_getBlockByNumber': return { number: '0x1', baseFeePerGas: '0x1', timestamp: '0x1', transactions: [] };
        case 'eth_sendRawTransaction': {
          const { nonce = 0, data = '0x', value = 0n, gas = 0n } = parseTransaction(params[0] as Hex);
          const hash: Hex = `0x${(sent.length + 1).toString(16).padStart(64, '0')}`;
          sent.push({ nonce, data, value, gas });
          receipts.set(hash, receipt(hash, nonce, fails.includes(data)));
          return hash;
        }
        case 'eth_getTransactionReceipt': return receipts.get(params[0] as Hex) ?? null;
        case 'eth_getTransactionByHash': return null;
        default: throw new Error(`the node has no ${method}`);
      }
    },
  });
  return { sent, wallet: createWalletClient({ account, transport }), network: createPublicClient({ transport }) };
}

const only = (rows: Claimable[]): Claim => {
  const claims = claimsOf(rows, account.address);
  assert.equal(claims.length, 1);
  return claims[0] as Claim;
};

const notSent = (reason: string) => (error: unknown) => error instanceof ClaimNotSent && error.reason === reason;

test('rows of one claim are sent once, and pay all their amounts', async () => {
  const other = { ...token, address: '0x00000000000000000000000000000000000070cf', decimals: 6 };
  const claim = only([row(), row({ id: 'two', amount: '2', token: other, paidTo: 'lock' })]);
  assert.deepEqual(claim.pays.map(({ raw, to }) => [raw, to]), [[1_500_000_000_000_000_000n, 'account'], [2_000_000n, 'lock']]);
  const node = signer();
  assert.equal((await sendClaim(claim, node)).length, 1);
  assert.deepEqual(node.sent, [{ nonce: 7, data: '0x3d18b912', value: 0n, gas: 100_000n }]);
});

test('rows of one claim with other transactions are not believed', () => {
  assert.throws(() => claimsOf([row(), row({ claimTransaction: transaction('0x00') })], account.address), /two transactions/);
});

test('a refused claim has nothing to sign, whatever is accepted', async () => {
  const claim = only([row({ simulated: 'refused', claimTransaction: null, differs: ['It takes 1 TKN.'] })]);
  assert.deepEqual([claim.verdict, claim.steps], ['refused', []]);
  const node = signer();
  const consent = { accept: ['differs', 'reverted', 'untried'] as const };
  await assert.rejects(sendClaim(claim, node, { accept: [...consent.accept] }), notSent('refused'));
  await assert.rejects(signClaim(claim, node, { accept: [...consent.accept] }), /It takes 1 TKN/);
  assert.deepEqual(node.sent, []);
});

test('only what pays is sent, unless the verdict is accepted', async () => {
  for (const [simulated, verdict] of [['differs', 'differs'], ['reverted', 'reverted'], [null, 'untried']] as const) {
    const claim = only([row({ simulated })]);
    const node = signer();
    await assert.rejects(sendClaim(claim, node), notSent(verdict));
    assert.deepEqual(node.sent, []);
    await sendClaim(claim, node, { accept: [verdict] });
    assert.equal(node.sent.length, 1);
  }
});

test('a verdict that a later gateway has is not taken for payment', () => {
  assert.equal(only([row({ simulated: 'perhaps' as never })]).verdict, 'untried');
});

test('steps are sent in their order, with their fees, and not beyond one that fails', async () => {
  const steps = [transaction('0x01'), transaction('0x02', { value: '1000000000000000000000' }), transaction('0x03')];
  const claim = only([row({ claimSteps: steps, claimTransaction: steps[2] as Transaction })]);
  const node = signer();
  await sendClaim(claim, node);
  assert.deepEqual(node.sent.map(({ nonce, data, value }) => [nonce, data, value]), [[7, '0x01', 0n], [8, '0x02', 10n ** 21n], [9, '0x03', 0n]]);
  const failing = signer(137, ['0x02']);
  const failed = await sendClaim(claim, failing).catch((error: unknown) => error);
  assert.ok(failed instanceof ClaimReverted);
  assert.deepEqual([failed.receipts.length, failing.sent.length], [2, 2]);
});

test('signed steps have the nonces of their order, and are not sent', async () => {
  const steps = [transaction('0x01'), transaction('0x02', { value: '5' })];
  const node = signer();
  const signed = await signClaim(only([row({ claimSteps: steps, claimTransaction: steps[1] as Transaction })]), node);
  const parsed = signed.map((raw) => parseTransaction(raw));
  assert.deepEqual(parsed.map(({ nonce, data, value, gas, chainId }) => [nonce, data, value ?? 0n, gas, chainId]), [[7, '0x01', 0n, 100_000n, 137], [8, '0x02', 5n, 100_000n, 137]]);
  assert.deepEqual(node.sent, []);
});

test('a plan is one claim, and a plan of nothing is not sent', async () => {
  const plan = {
    network, account: account.address.toLowerCase(), simulated: 'paid', walletSendCalls: null, netDollarValue: null, dollarValue: '0', simulation: null, cost: null, leftOut: [],
    transactions: [{ claimIds: ['one', 'two'], ...transaction('0x01') }, { claimIds: ['three'], ...transaction('0x02') }],
    pays: [{ token: null, tokenAddress: token.address, amount: null, amountRaw: '12', paidTo: 'vault' }],
  } as unknown as ClaimPlan;
  const claim = claimOfPlan(plan);
  assert.deepEqual([claim.ids, claim.pays[0]?.to, claim.pays[0]?.raw], [['one', 'two', 'three'], 'vault', 12n]);
  const node = signer();
  assert.equal((await sendClaim(claim, node)).length, 2);
  await assert.rejects(sendClaim(claimOfPlan({ ...plan, simulated: null, transactions: [] }), node), notSent('nothing to send'));
});

test('nothing is sent for another account or on another network', async () => {
  const claim = only([row()]);
  const elsewhere = signer(1);
  await assert.rejects(sendClaim(claim, elsewhere), notSent('another network'));
  const foreign = only([row({ claimTransaction: transaction('0x3d18b912', { from: FARM }) })]);
  const node = signer();
  await assert.rejects(sendClaim(foreign, node), notSent('another account'));
  assert.deepEqual([...elsewhere.sent, ...node.sent], []);
});
