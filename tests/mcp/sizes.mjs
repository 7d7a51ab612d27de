// How long the answers of the longest accounts are: bytes and tokens of a slice, slices, and the time for all of them.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { WAYS, connected } from './clients.mjs';
import { stage } from './stage.mjs';

const { accounts, many } = stage.expected;
const BYTES_MAX = 100_000;
/** What a token has at least. */
const TOKEN_BYTES = 4;
/** Of the longest account a test reads so many: each slice is a request of its own, which costs as much as the first. */
const SLICES_READ = 5;

const TOOLS = ['claimables', 'positions', 'token_balances'];

/** The rows of a slice. */
const rowsOf = (/** @type {any} */ data) => (Array.isArray(data) ? data : data.protocols.flatMap((/** @type {any} */ group) => group.positions));

/** The number of all rows, which a note says. */
const all = (/** @type {string[]} */ leftOut) => Number(/^Rows 1 to \d+ of (\d+) are here/m.exec(leftOut.join('\n'))?.[1]);

/** Reads an answer, to its end or so far as a test does. */
async function read(/** @type {any} */ client, /** @type {string} */ name, /** @type {Record<string, unknown>} */ given) {
  const began = performance.now();
  const lengths = [];
  const rows = [];
  let firstMs = 0;
  let total = 0;
  for (let cursor = undefined; cursor !== null && lengths.length < SLICES_READ; ) {
    const result = await client.called({ name, arguments: { ...given, ...(cursor && { cursor }) } }, { timeout: 60_000 });
    assert.ok(!result.isError, JSON.stringify(result));
    lengths.push(Buffer.byteLength(JSON.stringify(result)));
    rows.push(...rowsOf(result.structuredContent.data));
    firstMs ||= performance.now() - began;
    cursor = result.structuredContent.nextCursor;
    total ||= cursor === null ? rows.length : all(result.structuredContent.notes.leftOut);
  }
  const longest = Math.max(...lengths);
  assert.ok(longest <= BYTES_MAX, `${name}: ${longest} bytes`);
  const ids = rows.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, `${name}: a row is there twice`);
  return { total, rows: rows.length, slices: lengths.length, longest, bytes: lengths.reduce((sum, length) => sum + length, 0), firstMs, ms: performance.now() - began };
}

console.log('| account | tool | rows | rows read | slices | bytes of the longest | its tokens | bytes of these | tokens of these | first slice, s | these, s |');
console.log('|---|---|---|---|---|---|---|---|---|---|---|');

function tell(/** @type {string} */ who, /** @type {string} */ tool, /** @type {Awaited<ReturnType<typeof read>>} */ { total, rows, slices, longest, bytes, firstMs, ms }) {
  const tokens = (/** @type {number} */ length) => Math.ceil(length / TOKEN_BYTES);
  const cells = [who, tool, total, rows, slices, longest, tokens(longest), bytes, tokens(bytes), (firstMs / 1000).toFixed(1), (ms / 1000).toFixed(1)];
  console.log(`| ${cells.join(' | ')} |`);
}

await connected(WAYS[0], stage.gateways.demo, async (client) => {
  for (const tool of TOOLS) {
    let largest;
    for (const [who, account] of accounts) {
      const found = await read(client, tool, { account });
      if (largest === undefined || found.bytes > largest.found.bytes) largest = { who, found };
    }
    if (largest) tell(`demo: ${largest.who}`, tool, largest.found);
  }
});
await connected(WAYS[0], stage.gateways.many, async (client) => {
  for (const tool of ['claimables', 'positions']) {
    const found = await read(client, tool, { account: many.account });
    assert.equal(found.total, many.rows, tool);
    tell(`${many.rows} farms`, tool, found);
  }
});
