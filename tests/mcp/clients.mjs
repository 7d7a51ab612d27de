// The official clients: each generation of the SDK with the versions of the protocol that it speaks, over HTTP and stdio.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldStreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { stage } from './stage.mjs';

const OWN = { name: 'portolan-tests', version: '1.0.0' };
export const NEWEST = '2026-07-28';

const http = (/** @type {string} */ base) => new StreamableHTTPClientTransport(new URL('/mcp', base));
const stdio = (/** @type {string} */ base) => new StdioClientTransport(program(base));
const oldHttp = (/** @type {string} */ base) => new OldStreamableHTTPClientTransport(new URL('/mcp', base));
const oldStdio = (/** @type {string} */ base) => new OldStdioClientTransport(program(base));

function program(/** @type {string} */ base) {
  return { command: stage.host, args: ['mcp', '--url', base], stderr: /** @type {const} */ ('inherit') };
}

/** A client of the newest generation that speaks one version. */
function newest(/** @type {string} */ version) {
  const isModern = version >= NEWEST;
  const options = isModern ? { versionNegotiation: { mode: { pin: version } } } : { supportedProtocolVersions: [version] };
  const client = new Client(OWN, options);
  // Each generation takes the options of a call at another place.
  return Object.assign(client, { called: (/** @type {any} */ call, /** @type {any} */ options) => client.callTool(call, options) });
}

function old() {
  const client = new OldClient(OWN);
  return Object.assign(client, { called: (/** @type {any} */ call, /** @type {any} */ options) => client.callTool(call, undefined, options) });
}

/** Each way to connect. Progress is told over HTTP alone. */
export const WAYS = [
  { version: NEWEST, by: 'client 2, HTTP', make: () => newest(NEWEST), transport: http, tellsProgress: true },
  { version: NEWEST, by: 'client 2, stdio', make: () => newest(NEWEST), transport: stdio, tellsProgress: false },
  { version: '2025-11-25', by: 'sdk 1, HTTP', make: old, transport: oldHttp, tellsProgress: true },
  { version: '2025-11-25', by: 'sdk 1, stdio', make: old, transport: oldStdio, tellsProgress: false },
  { version: '2025-06-18', by: 'client 2, HTTP', make: () => newest('2025-06-18'), transport: http, tellsProgress: true },
  { version: '2025-06-18', by: 'client 2, stdio', make: () => newest('2025-06-18'), transport: stdio, tellsProgress: false },
];

/**
 * Connects to a gateway, and disconnects after `act`.
 * @template T
 * @param {typeof WAYS[number]} way
 * @param {string} base
 * @param {(client: any) => Promise<T>} act
 */
export async function connected(way, base, act) {
  /** @type {any} */
  const client = way.make();
  await client.connect(way.transport(base));
  try {
    return await act(client);
  } finally {
    await client.close();
  }
}
