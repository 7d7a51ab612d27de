// Where everything is, and what the arithmetic expects.
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Stage
 * @property {Record<string, string>} gateways base URLs
 * @property {{network: string, chainId: number, url: string}[]} nodes
 * @property {string} host the gateway's program
 * @property {string} scratch a folder that is removed at the end
 * @property {any} expected
 */

/** @type {Stage} */
export const stage = JSON.parse(readFileSync(process.env.STAGE ?? '', 'utf8'));

/** The node of a network. */
export function nodeOf(/** @type {string} */ network) {
  const node = stage.nodes.find((node) => node.network === network);
  if (!node) throw new Error(`no node of ${network}`);
  return node;
}
