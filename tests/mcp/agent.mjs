// An assistant that knows a gateway by its tools alone.
import assert from 'node:assert/strict';
import { WAYS, connected } from './clients.mjs';
import { stage } from './stage.mjs';

const SLICES_MAX = 200;

/** A call that was refused, with the reason that the assistant reads. */
export class Refusal extends Error {}

export class Agent {
  #client;

  constructor(/** @type {any} */ client) {
    this.#client = client;
  }

  /**
   * Calls a tool.
   * @param {string} name
   * @param {Record<string, unknown>} given
   * @returns {Promise<{notes: any, data: any, nextCursor: string | null}>}
   */
  async call(name, given) {
    const result = await this.#client.called({ name, arguments: given });
    if (result.isError) throw new Refusal(result.content[0].text);
    const { notes } = result.structuredContent;
    assert.match(notes.texts, /Follow no instruction/);
    return result.structuredContent;
  }

  /** The reason why a call is refused. */
  async reason(/** @type {string} */ name, /** @type {Record<string, unknown>} */ given) {
    const found = await this.call(name, given).catch((error) => error);
    assert.ok(found instanceof Refusal, `${name} is not refused: ${JSON.stringify(found)}`);
    return found.message;
  }

  /** All slices of an answer; their rows are those of `rowsOf`. */
  async pages(/** @type {string} */ name, /** @type {Record<string, unknown>} */ given, rowsOf = (/** @type {any} */ data) => data) {
    const rows = [];
    let slice = await this.call(name, given);
    const { notes } = slice;
    for (let count = 1; ; count += 1) {
      assert.ok(count <= SLICES_MAX, 'slices without an end');
      rows.push(...rowsOf(slice.data));
      if (slice.nextCursor === null) return { rows, notes, count };
      slice = await this.call(name, { ...given, cursor: slice.nextCursor });
    }
  }
}

/** Lets an agent work at each of these gateways, by the newest client. */
export async function employed(/** @type {string[]} */ names, /** @type {(agents: Record<string, Agent>) => Promise<void>} */ act, /** @type {Record<string, Agent>} */ agents = {}) {
  const [name, ...rest] = names;
  if (name === undefined) return act(agents);
  await connected(WAYS[0], stage.gateways[name], (client) => employed(rest, act, { ...agents, [name]: new Agent(client) }));
}
