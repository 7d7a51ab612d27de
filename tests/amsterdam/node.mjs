// A node of the hard fork Amsterdam on loopback, for the tests: Hardhat's EDR, with a chain that begins here. Each
// transaction is mined at once, in a block of its own. It prints `Listening on ADDRESS` once it answers.
//
// node node.mjs CHAIN_ID COINBASE

import { createServer } from 'node:http';
import edr from '@nomicfoundation/edr';

const [chainId, coinbase] = [BigInt(process.argv[2]), bytes(process.argv[3])];
const fork = edr.L1Hardfork.Amsterdam;
const blockGasLimit = 60_000_000n;

const context = new edr.EdrContext();
await context.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory());
const provider = await context.createProvider(
  edr.L1_CHAIN_TYPE,
  {
    allowBlocksWithSameTimestamp: false,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    // A transaction that fails is in a block all the same.
    bailOnTransactionFailure: false,
    chainId,
    coinbase,
    defaultTransactionGasLimit: 5_000_000n,
    genesisState: edr.l1GenesisState(fork),
    hardfork: edr.l1HardforkToString(fork),
    initialBaseFeePerGas: 1_000_000_000n,
    initialParentBeaconBlockRoot: new Uint8Array(32),
    minGasPrice: 0n,
    mining: { autoMine: true, blockGasLimit, memPool: { order: 'Priority' } },
    // An hour ago: the blocks of the tests come faster than one a second, and must not be of the future.
    network: { genesisBlockGasLimit: blockGasLimit, genesisBlockTime: BigInt(Math.floor(Date.now() / 1000) - 3600) },
    networkId: chainId,
    observability: {},
    ownedAccounts: [],
    precompileOverrides: [],
  },
  { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
  { subscriptionCallback: () => {} },
  new edr.ContractDecoder(),
);

function bytes(hex) {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));
}

async function reply(request) {
  const { data } = await provider.handleRequest(JSON.stringify({ params: [], ...request }));
  const answer = typeof data === 'string' ? JSON.parse(data) : data;
  return { jsonrpc: '2.0', id: request.id, ...answer };
}

async function replies(body) {
  const request = JSON.parse(body);
  return JSON.stringify(await (Array.isArray(request) ? Promise.all(request.map(reply)) : reply(request)));
}

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = await replies(Buffer.concat(parts).toString());
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`Listening on 127.0.0.1:${server.address().port}`));
