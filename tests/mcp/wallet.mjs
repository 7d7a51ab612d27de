// The wallet of a script: it signs with its own key, and asks the chain itself what it holds.
import assert from 'node:assert/strict';
import { createPublicClient, createWalletClient, defineChain, erc20Abi, http } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { nodeOf } from './stage.mjs';

/** Anvil's, which everybody knows. */
const MNEMONIC = 'test test test test test test test test test test test junk';
/** The place of the account `exited`. */
const PLACE = 6;
const MINED_WITHIN_MS = 20_000;

export class Wallet {
  #account = mnemonicToAccount(MNEMONIC, { addressIndex: PLACE });
  #public;
  #signing;

  /** @param {string} network */
  constructor(network) {
    const { chainId, url } = nodeOf(network);
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const chain = defineChain({ id: Number(chainId), name: network, nativeCurrency, rpcUrls: { default: { http: [url] } } });
    this.#public = createPublicClient({ chain, transport: http(url), pollingInterval: 50 });
    this.#signing = createWalletClient({ account: this.#account, chain, transport: http(url) });
  }

  get address() {
    return this.#account.address.toLowerCase();
  }

  get chainId() {
    return this.#signing.chain.id;
  }

  native(/** @type {string} */ account) {
    return this.#public.getBalance({ address: /** @type {`0x${string}`} */ (account) });
  }

  /** @returns {Promise<bigint>} */
  balance(/** @type {string} */ token, account = this.address) {
    const [address, owner] = /** @type {`0x${string}`[]} */ ([token, account]);
    return this.#public.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  }

  decimals(/** @type {string} */ token) {
    return this.#public.readContract({ address: /** @type {`0x${string}`} */ (token), abi: erc20Abi, functionName: 'decimals' });
  }

  block() {
    return this.#public.getBlockNumber({ cacheTime: 0 });
  }

  /**
   * Signs and sends a request of `wallet_sendCalls` (EIP-5792), call by call.
   * @param {any} request
   */
  async send({ method, params: [{ version, chainId, from, calls }] }) {
    assert.equal(method, 'wallet_sendCalls');
    assert.equal(version, '2.0.0');
    assert.equal(Number(chainId), this.chainId);
    assert.equal(from.toLowerCase(), this.address);
    const receipts = [];
    for (const { to, data, value, gas } of calls) {
      const hash = await this.#signing.sendTransaction({ to, data, value: BigInt(value), gas: BigInt(gas) });
      const receipt = await this.#public.waitForTransactionReceipt({ hash, timeout: MINED_WITHIN_MS });
      assert.equal(receipt.status, 'success', hash);
      receipts.push(receipt);
    }
    return receipts;
  }

  /**
   * What `act` brings of tokens, raw, and what it returns.
   * @template T
   * @param {string[]} tokens
   * @param {() => Promise<T>} act
   */
  async brought(tokens, act) {
    const before = await Promise.all(tokens.map((token) => this.balance(token)));
    const done = await act();
    const after = await Promise.all(tokens.map((token) => this.balance(token)));
    const brought = Object.fromEntries(tokens.map((token, place) => [token, after[place] - before[place]]));
    return { brought, done };
  }
}
