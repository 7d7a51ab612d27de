// What every client of the protocol relies on: each official client lists, reads, gets and calls everything, rightly and
// wrongly. The clients check each structured result against the tool's output schema, and so does another validator here.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { WAYS, connected } from './clients.mjs';
import { stage } from './stage.mjs';

const { account, network, transaction, name } = stage.expected;
const BYTES_MAX = 100_000;
const NOBODY = '0x00000000000000000000000000000000000000aa';
const HASH = `0x${'12'.repeat(32)}`;
/** JSON-RPC's error for parameters that are wrong. */
const INVALID_PARAMS = -32602;
/** Its older error for a resource that is not there. */
const NOT_FOUND = -32002;

/** Right arguments of each tool, and wrong ones with a part of the reason. Names are asked of a gateway of their own. */
const CALLS = {
  claimables: { right: { account }, wrong: [[{}, /account is missing/], [{ account: 'x' }, /x/], [{ account, include: 'nobody_of_this_name' }, /nobody_of_this_name/], [{ account, simulate: false }, /no argument "simulate"/], [{ account, cursor: 'x' }, /cursor/]] },
  claim_plan: { right: { account, network }, wrong: [[{ account }, /network is missing/], [{ account, network: 'nowhere' }, /nowhere/], [{ account, network: { name: network } }, /is a text/]] },
  positions: { right: { account }, wrong: [[{ account, exclude: [1] }, /list of texts/]] },
  token_balances: { right: { account, network }, wrong: [[{ account: 7 }, /7/]] },
  approvals: { right: { account }, wrong: [[{ account, network: 'nowhere' }, /nowhere/]] },
  native_balances: { right: { account }, wrong: [[{ account, network: 'nowhere' }, /nowhere/]] },
  transaction: { right: { hash: transaction, network, account }, wrong: [[{ hash: HASH, network }, /./], [{ hash: 'x', network }, /x/], [{ hash: HASH }, /network/]] },
  address_of_name: { right: undefined, wrong: [[{ name: 'no name' }, /./], [{}, /name is missing/]] },
  name_of_address: { right: undefined, wrong: [[{ account: 'x' }, /x|account/], [{ address: 'x' }, /address|account/]] },
  networks: { right: {}, wrong: [[{ account }, /no argument "account"/]] },
  protocols: { right: {}, wrong: [[{ x: 1 }, /no argument "x"/]] },
  coverage: { right: {}, wrong: [[{ x: 1 }, /no argument "x"/]] },
};

const PROMPTS = { what_can_i_claim: { account }, claim_on_network: { account, network }, explain_transaction: { hash: HASH, network } };

/** What every way does; each part returns a word on what it found. @type {Record<string, (client: any, way: typeof WAYS[number]) => Promise<string>>} */
const PARTS = {
  async handshake(client, { version }) {
    const { tools, resources, prompts } = client.getServerCapabilities();
    assert.ok(tools && resources && prompts);
    assert.equal(client.getServerVersion().name, 'portolan');
    assert.match(client.getInstructions(), /notes\.missing/);
    const spoken = client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion;
    if (spoken !== undefined) assert.equal(spoken, version);
    return `${version} is spoken`;
  },

  async tools(client) {
    const { tools } = await client.listTools();
    assert.deepEqual(names(tools), Object.keys(CALLS).sort());
    for (const tool of tools) {
      assert.ok(tool.title && tool.description && tool.outputSchema, tool.name);
      assert.equal(tool.annotations.readOnlyHint, true, tool.name);
      assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
      new Ajv2020({ strict: false }).compile(tool.inputSchema);
    }
    return `${tools.length} tools, ${bytes(tools)} bytes`;
  },

  async resources(client) {
    const { resources } = await client.listResources();
    for (const { uri, size, mimeType } of resources) {
      const { contents } = await client.readResource({ uri });
      assert.equal(contents.length, 1, uri);
      assert.equal(contents[0].uri, uri);
      assert.equal(contents[0].mimeType, mimeType);
      assert.equal(Buffer.byteLength(contents[0].text), size, uri);
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates, []);
    return `${resources.length} resources read`;
  },

  async prompts(client) {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(names(prompts), Object.keys(PROMPTS).sort());
    for (const [name, given] of Object.entries(PROMPTS)) {
      const { messages } = await client.getPrompt({ name, arguments: given });
      for (const value of Object.values(given)) assert.ok(messages[0].content.text.includes(value), name);
      await refused(() => client.getPrompt({ name, arguments: {} }), [INVALID_PARAMS]);
    }
    return `${prompts.length} prompts`;
  },

  async calls(client) {
    const { tools } = await client.listTools();
    const lengths = [];
    for (const tool of tools) {
      const { right } = CALLS[/** @type {keyof typeof CALLS} */ (tool.name)];
      if (right !== undefined) lengths.push(bytes(await valid(client, tool, right)));
    }
    return `${lengths.length} results are valid, at most ${Math.max(...lengths)} bytes`;
  },

  async 'wrong calls'(client) {
    let count = 0;
    for (const [name, { wrong }] of Object.entries(CALLS)) {
      for (const [given, reason] of wrong) {
        const result = await client.called({ name, arguments: given });
        const said = `${name} ${JSON.stringify(given)}: ${JSON.stringify(result)}`;
        assert.equal(result.isError, true, said);
        assert.match(result.content[0].text, /** @type {RegExp} */ (reason), said);
        assert.equal(result.structuredContent, undefined, said);
        count += 1;
      }
    }
    return `${count} refused with a reason`;
  },

  async 'unknown things'(client) {
    await refused(() => client.called({ name: 'send_everything', arguments: {} }), [INVALID_PARAMS]);
    await refused(() => client.readResource({ uri: 'file:///etc/passwd' }), [INVALID_PARAMS, NOT_FOUND]);
    await refused(() => client.getPrompt({ name: 'nothing' }), [INVALID_PARAMS]);
    return 'are errors of the protocol';
  },

  async progress(client, { tellsProgress }) {
    /** @type {{progress: number, message?: string}[]} */
    const told = [];
    const result = await client.called({ name: 'claimables', arguments: { account } }, { onprogress: (/** @type {any} */ one) => told.push(one) });
    assert.ok(!result.isError);
    if (tellsProgress) assert.ok(told.length > 1, 'no progress is told');
    told.forEach(({ progress, message }, place) => {
      assert.ok(place === 0 || progress > told[place - 1].progress, JSON.stringify(told));
      assert.ok(message);
    });
    return `${told.length} messages`;
  },

  async nothing(client) {
    const { structuredContent } = await client.called({ name: 'claimables', arguments: { account: NOBODY } });
    assert.deepEqual([structuredContent.data, structuredContent.notes.missing, structuredContent.nextCursor], [[], [], null]);
    return 'is an empty list, with nothing missing';
  },
};

const names = (/** @type {{name: string}[]} */ rows) => rows.map(({ name }) => name).sort();
const bytes = (/** @type {unknown} */ value) => Buffer.byteLength(JSON.stringify(value));

/** Calls a tool, and fails unless its result is as the tool says. */
async function valid(/** @type {any} */ client, /** @type {any} */ { name, outputSchema }, /** @type {Record<string, unknown>} */ given) {
  const result = await client.called({ name, arguments: given });
  assert.ok(!result.isError, JSON.stringify(result));
  const check = new Ajv2020({ strict: false, allErrors: true }).compile(outputSchema);
  assert.ok(check(result.structuredContent), `${name}: ${JSON.stringify(check.errors?.slice(0, 5))}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, name);
  assert.ok(bytes(result) <= BYTES_MAX, `${name}: ${bytes(result)} bytes`);
  return result;
}

/** Fails unless it is refused as the protocol has it. */
async function refused(/** @type {() => Promise<unknown>} */ act, /** @type {number[]} */ codes) {
  const error = await act().then((found) => assert.fail(`not refused: ${JSON.stringify(found)}`), (error) => error);
  assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
}

/** What every way does at a gateway before names. @type {typeof PARTS} */
const NAMES = {
  async names(client) {
    const { tools } = await client.listTools();
    const [forward, back] = ['address_of_name', 'name_of_address'].map((wanted) => tools.find((/** @type {any} */ { name }) => name === wanted));
    const found = await valid(client, forward, { name });
    await valid(client, back, { account: found.structuredContent.data.address });
    return 'both ways are valid';
  },
};

for (const way of WAYS) {
  console.log(`${way.version}, ${way.by}`);
  for (const [gateway, parts] of Object.entries({ all: PARTS, names: NAMES })) {
    await connected(way, stage.gateways[gateway], async (client) => {
      for (const [part, act] of Object.entries(parts)) {
        const found = await act(client, way).catch((error) => {
          throw new Error(`${way.version}, ${way.by}: ${part}`, { cause: error });
        });
        console.log(`  ${part}: ${found}`);
      }
    });
  }
}
