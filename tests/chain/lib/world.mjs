// One chain under construction. Actions are queued; `at(timestamp)` mines what was
// queued into one block of the moment before and moves on. Beside every transaction
// the matching model is moved, at the same timestamp.
import { encodeDeployData, encodeFunctionData, decodeFunctionResult, getContractAddress } from 'viem';
import { artifacts } from './artifacts.mjs';
import { GAS_LIMIT } from './anvil.mjs';

const GAS = '0x7a1200'; // 8,000,000: enough for the largest deployment.
const GAS_PRICE = '0x77359400';
const RICH = `0x${(10n ** 30n).toString(16)}`;
const NAMES = ['deployer', 'farmer', 'whale', 'odd', 'dust', 'nothing', 'exited', 'bystander'];

export const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';

export class World {
  static async create(anvil, timestamp) {
    const world = new World(anvil, timestamp);
    const addresses = await anvil.rpc('eth_accounts');
    world.accounts = Object.fromEntries(NAMES.map((name, i) => [name, addresses[i].toLowerCase()]));
    await anvil.rpc('anvil_setBalance', world.accounts.deployer, RICH);
    return world;
  }

  constructor(anvil, timestamp) {
    this.anvil = anvil;
    this.now = BigInt(timestamp);
    this.queue = [];
    this.deployed = 0n; // The deployer's nonce: it alone creates contracts.
    this.height = 0n; // Of the last mined block.
    this.planned = [];
    this.farms = [];
    this.lairs = [];
    this.chefs = [];
    this.markets = [];
    this.tokens = new Map();
  }

  // Queues a transaction. `from` is an account's name.
  send(from, to, artifact, functionName, args, value = 0n) {
    const data = encodeFunctionData({ abi: artifacts[artifact].abi, functionName, args });
    this.#push(from, { to, data, value: `0x${value.toString(16)}` }, `${functionName} by ${from}`);
  }

  // Queues a deployment and returns the address that it will have. `libraries` are
  // addresses by name, for those contracts that are linked with some.
  deploy(artifact, args = [], libraries = {}) {
    const address = getContractAddress({ from: this.accounts.deployer, nonce: this.deployed });
    this.#push('deployer', { data: initCode(artifact, args, libraries) }, `deployment of ${artifact}`);
    return address.toLowerCase();
  }

  // Puts contracts at given addresses without their deployer's key: the creation code
  // stands there for one transaction, so that the constructor's storage lands there;
  // then its own answer, the runtime code, replaces it. Rows: [address, artifact, args].
  async place(rows) {
    await this.mine();
    await this.anvil.batch(rows.map(([address, artifact, args]) => ['anvil_setCode', address, initCode(artifact, args)]));
    const from = this.accounts.deployer;
    const runtimes = await this.anvil.batch(rows.map(([to]) => ['eth_call', { from, to, gas: GAS }, 'latest']));
    rows.forEach(([to, artifact]) => this.#push('deployer', { to }, `constructor of ${artifact}`));
    await this.mine();
    await this.anvil.batch(rows.flatMap(([address], i) => [['anvil_setCode', address, runtimes[i]], ['anvil_setNonce', address, '0x1']]));
  }

  // Sets one storage slot; what was queued before happens before.
  async store(address, slot, word) {
    await this.mine();
    await this.anvil.rpc('anvil_setStorageAt', address, slot, word);
  }

  async replaceCode(address, code) {
    await this.mine();
    await this.anvil.rpc('anvil_setCode', address, code);
  }

  // The number of the block that what is queued now will be in.
  get next() {
    return this.height + 1n;
  }

  // Has `act` done when `at` reaches that moment, so that several stories that do not
  // know each other make one history.
  plan(timestamp, act) {
    this.planned.push({ timestamp, act });
    this.planned.sort((a, b) => a.timestamp - b.timestamp);
  }

  async at(timestamp) {
    while (this.planned.length > 0 && this.planned[0].timestamp <= timestamp) {
      const { timestamp: moment, act } = this.planned.shift();
      await this.#moveTo(moment);
      await act();
    }
    await this.#moveTo(timestamp);
  }

  // Empty blocks at the present moment, for what counts blocks instead of seconds.
  async pass(blocks) {
    await this.mine();
    for (let i = 0; i < blocks; i++) await this.#block();
  }

  async mine() {
    if (this.queue.length === 0) return;
    const queue = this.queue.splice(0);
    const hashes = await this.anvil.batch(queue.map(({ tx }) => ['eth_sendTransaction', tx]));
    await this.#block();
    const receipts = await this.anvil.batch(hashes.map((hash) => ['eth_getTransactionReceipt', hash]));
    receipts.forEach((receipt, i) => {
      if (receipt?.status !== '0x1') throw new Error(`${queue[i].what} at ${this.now} ${receipt ? 'reverted' : 'was not mined'}`);
    });
  }

  // Ends the history: a block at the last timestamp, under an ordinary gas limit, of what `last` queues.
  async seal(last = () => {}) {
    await this.mine();
    await this.anvil.rpc('evm_setBlockGasLimit', `0x${GAS_LIMIT.toString(16)}`);
    last();
    if (this.queue.length > 0) await this.mine();
    else await this.#block();
    const { number, timestamp, hash, gasLimit } = await this.anvil.rpc('eth_getBlockByNumber', 'latest', false);
    if (BigInt(number) !== this.height) throw new Error(`last block is ${BigInt(number)} instead of ${this.height}`);
    if (BigInt(timestamp) !== this.now) throw new Error(`last block has timestamp ${BigInt(timestamp)} instead of ${this.now}`);
    if (BigInt(gasLimit) !== GAS_LIMIT) throw new Error(`last block has gas limit ${BigInt(gasLimit)} instead of ${GAS_LIMIT}`);
    return { number: Number(number), timestamp: Number(timestamp), hash };
  }

  async view(to, artifact, functionName, args = []) {
    return (await this.views([[to, artifact, functionName, args]]))[0];
  }

  async views(rows) {
    const calls = rows.map(([to, artifact, functionName, args = []]) =>
      ['eth_call', { to, data: encodeFunctionData({ abi: artifacts[artifact].abi, functionName, args }) }, 'latest']);
    return (await this.anvil.batch(calls)).map((data, i) =>
      decodeFunctionResult({ abi: artifacts[rows[i][1]].abi, functionName: rows[i][2], data }));
  }

  async #moveTo(timestamp) {
    await this.mine();
    this.now = BigInt(timestamp);
  }

  async #block() {
    await this.anvil.batch([['evm_setNextBlockTimestamp', Number(this.now)], ['evm_mine']]);
    this.height++;
  }

  #push(from, tx, what) {
    if (from === 'deployer') this.deployed++;
    this.queue.push({ what, tx: { from: this.accounts[from], gas: GAS, gasPrice: GAS_PRICE, ...tx } });
  }
}

// The creation code of a contract, with its arguments.
export function initCode(artifact, args = [], libraries = {}) {
  const { abi, bytecode: unlinked, linkReferences = {} } = artifacts[artifact];
  const bytecode = linked(unlinked, linkReferences, libraries);
  return args.length > 0 ? encodeDeployData({ abi, bytecode, args }) : bytecode;
}

// Puts the libraries' addresses where the compiler left room for them.
function linked(bytecode, references, libraries) {
  let code = bytecode;
  for (const [name, places] of Object.values(references).flatMap(Object.entries)) {
    for (const { start, length } of places) {
      const at = 2 + 2 * start;
      code = code.slice(0, at) + libraries[name].slice(2) + code.slice(at + 2 * length);
    }
  }
  return code;
}
