// A wallet double: a provider that pages find by EIP-6963, and behind it the nodes of the test chains, which have the
// key of its account. It refuses what a strict wallet would, and remembers what it was asked.
import { nodeRequest } from './node.mjs';
import { ICON, announce } from './wallet_page.mjs';

/**
 * @typedef {object} WalletOptions
 * @property {string} account
 * @property {Record<string, string>} nodes URLs of nodes, by the chain id in hex
 * @property {string} [name]
 * @property {string[]} [refuses] methods that its user never confirms
 * @property {boolean} [sendsCalls] it has `wallet_sendCalls` (EIP-5792)
 */
/** @typedef {{ method: string, params?: any }} Asked */

// EIP-1193, EIP-3326, EIP-5792.
const USER_REJECTED = 4001;
const UNAUTHORIZED = 4100;
const UNSUPPORTED = 4200;
const UNKNOWN_CHAIN = 4902;
const INVALID = -32602;
const UNKNOWN_BUNDLE = 5730;
const [PENDING, CONFIRMED, REVERTED, PARTLY_REVERTED] = [100, 200, 500, 600];

class Refusal extends Error {
  constructor(/** @type {number} */ code, /** @type {string} */ message) {
    super(message);
    this.code = code;
  }
}

export class Wallet {
  /** Everything that pages asked. @type {Asked[]} */
  asked = [];
  /** @type {Map<string, { node: string, chainId: string, hashes: string[] }>} */
  #bundles = new Map();
  #isConnected = false;
  #options;
  #chainId;

  /** @param {WalletOptions} options */
  constructor({ name = 'Test Wallet', refuses = [], sendsCalls = true, ...options }) {
    this.#options = { name, refuses, sendsCalls, ...options };
    this.#chainId = Object.keys(options.nodes)[0];
  }

  get name() {
    return this.#options.name;
  }

  /** Lets the pages that this one loads from now on find the wallet. */
  async inject(/** @type {import('playwright-core').Page} */ page) {
    const uuid = crypto.randomUUID();
    const binding = `wallet_${uuid.replaceAll('-', '_')}`;
    await page.exposeFunction(binding, (/** @type {Asked} */ asked) => this.#answer(asked));
    await page.addInitScript(announce, { uuid, name: this.name, binding, icon: ICON });
  }

  /** The parameters of what was asked with this method. */
  of(/** @type {string} */ method) {
    return this.asked.filter((asked) => asked.method === method).map(({ params }) => params);
  }

  async #answer(/** @type {Asked} */ asked) {
    this.asked.push(asked);
    try {
      const before = this.#chainId;
      const result = await this.#request(asked);
      return { result, chainId: this.#chainId === before ? null : this.#chainId };
    } catch (error) {
      const { code = -32603, message } = /** @type {Refusal} */ (error);
      return { error: { code, message } };
    }
  }

  async #request(/** @type {Asked} */ { method, params }) {
    if (this.#options.refuses.includes(method)) throw new Refusal(USER_REJECTED, 'User rejected the request.');
    switch (method) {
      case 'eth_chainId':
        return this.#chainId;
      case 'eth_accounts':
        return this.#isConnected ? [this.#options.account] : [];
      case 'eth_requestAccounts':
        this.#isConnected = true;
        return [this.#options.account];
      case 'wallet_switchEthereumChain':
        return this.#switch(params);
      case 'eth_sendTransaction':
        return this.#send(this.#chainId, params?.[0]);
    }
    if (this.#options.sendsCalls && method.startsWith('wallet_')) return this.#bundle(method, params);
    if (!method.startsWith('eth_get') && method !== 'eth_call' && method !== 'eth_blockNumber') {
      throw new Refusal(UNSUPPORTED, `this wallet has no ${method}`);
    }
    return nodeRequest(this.#node(this.#chainId), method, params);
  }

  /** The methods of EIP-5792. */
  async #bundle(method, params) {
    switch (method) {
      case 'wallet_getCapabilities':
        return Object.fromEntries(Object.keys(this.#options.nodes).map((id) => [id, { atomic: { status: 'unsupported' } }]));
      case 'wallet_sendCalls':
        return this.#sendCalls(params?.[0]);
      case 'wallet_getCallsStatus':
        return this.#status(params?.[0]);
      default:
        throw new Refusal(UNSUPPORTED, `this wallet has no ${method}`);
    }
  }

  #switch(params) {
    const chainId = params?.[0]?.chainId;
    this.#node(chainId);
    this.#chainId = chainId;
    return null;
  }

  async #send(chainId, transaction) {
    const { from, to, gas } = transaction ?? {};
    if (!this.#isConnected || from?.toLowerCase() !== this.#options.account) throw new Refusal(UNAUTHORIZED, `not the account: ${from}`);
    if (!to || !gas) throw new Refusal(INVALID, 'a transaction needs its target and its gas limit');
    return nodeRequest(this.#node(chainId), 'eth_sendTransaction', [transaction]);
  }

  async #sendCalls(bundle) {
    const { version, chainId, from, calls, atomicRequired } = bundle ?? {};
    if (version !== '2.0.0' || atomicRequired !== false || !calls?.length) throw new Refusal(INVALID, 'not EIP-5792, version 2.0.0');
    const id = `0x${Buffer.from(crypto.randomUUID()).toString('hex')}`;
    const bundled = { node: this.#node(chainId), chainId, hashes: /** @type {string[]} */ ([]) };
    this.#bundles.set(id, bundled);
    for (const call of calls) bundled.hashes.push(await this.#send(chainId, { from, to: call.to, data: call.data, value: call.value, gas: call.gas }));
    return { id };
  }

  async #status(id) {
    const bundled = this.#bundles.get(id);
    if (!bundled) throw new Refusal(UNKNOWN_BUNDLE, `no calls ${id}`);
    const receipts = await Promise.all(bundled.hashes.map((hash) => nodeRequest(bundled.node, 'eth_getTransactionReceipt', [hash])));
    const failed = receipts.filter((receipt) => receipt?.status === '0x0').length;
    const ended = failed === 0 ? CONFIRMED : failed === receipts.length ? REVERTED : PARTLY_REVERTED;
    const status = receipts.includes(null) ? PENDING : ended;
    const shown = ({ logs, status, blockHash, blockNumber, gasUsed, transactionHash }) => ({ logs, status, blockHash, blockNumber, gasUsed, transactionHash });
    return { version: '2.0.0', id, chainId: bundled.chainId, status, atomic: false, receipts: receipts.filter(Boolean).map(shown) };
  }

  #node(chainId) {
    const node = this.#options.nodes[chainId];
    if (!node) throw new Refusal(UNKNOWN_CHAIN, `this wallet does not know the chain ${chainId}`);
    return node;
  }
}
