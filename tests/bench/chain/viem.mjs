// node viem.mjs multicall|single|account|contract|blocks WORLD: what a typical user would do, reading what lines on stdin name:
//   run URL[,URL]... ACCOUNT COUNT
// One line of JSON for each: its wall and CPU time, or what went wrong.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPublicClient, defineChain, encodeFunctionData, erc20Abi, http, parseAbi } from 'viem';

const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';
const FACTS = ['name', 'symbol', 'decimals', 'totalSupply'];
const CLAIM = parseAbi(['function claim()']);
const SETTLE_MS = 20; // What the process does right after its answer counts too.
const TIMEOUT_MS = 60_000;

const [way, path] = process.argv.slice(2);
const world = JSON.parse(readFileSync(path, 'utf8'));
const clients = new Map();

function client(url) {
  if (!clients.has(url)) {
    const chain = defineChain({
      id: world.chainId,
      name: 'bench',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
      contracts: { multicall3: { address: MULTICALL3 } },
    });
    // A retry would hide what it costs.
    clients.set(url, createPublicClient({ chain, transport: http(url, { retryCount: 0, timeout: TIMEOUT_MS }) }));
  }
  return clients.get(url);
}

const balance = (token, account) => ({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] });
const ways = {
  async multicall(url, tokens, account) {
    const replies = await client(url).multicall({ contracts: tokens.map((token) => balance(token, account)) });
    return replies.map(({ status, result, error }) => {
      if (status !== 'success') throw error;
      return result;
    });
  },
  // On all networks at once; then what is found is read for its name, and how much of it there is.
  async account(urls, tokens, account) {
    const networks = urls.split(',').map(async (url) => {
      const balances = await ways.multicall(url, tokens, account);
      const found = tokens.filter((_, i) => balances[i] > 0n);
      const contracts = found.flatMap((address) => FACTS.map((functionName) => ({ address, abi: erc20Abi, functionName })));
      const facts = await client(url).multicall({ contracts });
      if (facts.length !== found.length * FACTS.length || facts.some(({ status }) => status !== 'success')) throw new Error('a fact is missing');
      return balances;
    });
    return (await Promise.all(networks)).flat();
  },
  // Each claim by a request of its own: whether it succeeds.
  async contract(url, tokens, account) {
    await Promise.all(tokens.map((_, i) => client(url).simulateContract({ address: world.farms[i], abi: CLAIM, functionName: 'claim', account })));
    return tokens.map((_, i) => BigInt(i + 1));
  },
  // All claims by one `eth_simulateV1`, one after the other: what its logs say.
  async blocks(url, tokens, account) {
    const calls = tokens.map((_, i) => ({ account, to: world.farms[i], data: encodeFunctionData({ abi: CLAIM }) }));
    const [{ calls: made }] = await client(url).simulateBlocks({ blocks: [{ calls }] });
    return made.map(({ status, logs }) => {
      if (status !== 'success') throw new Error('a claim failed');
      return BigInt(logs[0].data);
    });
  },
  single: (url, tokens, account) => Promise.all(tokens.map((token) => client(url).readContract(balance(token, account)))),
};

async function run(url, who, count) {
  const tokens = world.tokens.slice(0, count);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const balances = await ways[way](url, tokens, world.accounts[who]);
  const wallMs = performance.now() - began;
  await sleep(SETTLE_MS);
  const { user, system } = process.cpuUsage(cpu);
  const expected = (i) => (way === 'contract' || way === 'blocks' ? i + 1 : (world.held[who][i % count] ?? 0));
  const wrong = balances.findIndex((raw, i) => raw !== BigInt(expected(i)));
  if (balances.length !== count * url.split(',').length || wrong >= 0) throw new Error(`wrong balance of token ${wrong} among ${balances.length}`);
  return { wall_ms: wallMs, cpu_ms: (user + system) / 1000 };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, url, who, count] = line.split(' ');
  try {
    if (word !== 'run') throw new Error(`unknown command ${word}`);
    console.log(JSON.stringify(await run(url, Number(who), Number(count))));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.shortMessage ?? error.message) }));
  }
}
