// What the account is owed on a network, by the arithmetic of the chain's build, and what its contracts say that it has.
import assert from 'node:assert/strict';
import { tokenBalance } from './node.mjs';
import { stage } from './stage.mjs';

/**
 * @typedef {object} Owed one claim, which is one transaction
 * @property {string} to
 * @property {string} data
 * @property {string} function
 * @property {string[]} amounts of its rows, in units
 * @property {Record<string, string>} pays raw amounts, by token
 */

export class Ledger {
  /** @type {bigint[]} */
  #before = [];
  #decimals;
  #node;
  #tokens;

  /** @param {string} network */
  constructor(network) {
    this.#node = stage.nodes.find((node) => node.network === network)?.url ?? '';
    /** What is not claimed yet. @type {Owed[]} */
    this.left = stage.expected.owed[network].claims;
    this.#decimals = stage.expected.owed[network].decimals;
    this.#tokens = Object.keys(this.#decimals);
  }

  /**
   * Runs `act`, and fails unless the account has more afterwards by what these claims pay, and no more of another token.
   * @param {Owed[]} claims
   * @param {() => Promise<void>} act
   */
  async pays(claims, act) {
    this.#before = await this.#held();
    await act();
    assert.deepEqual(await this.#more(), this.#sum(claims));
    this.left = this.left.filter((claim) => !claims.includes(claim));
  }

  /** What claims pay together, in units. */
  amounts(/** @type {Owed[]} */ claims) {
    return Object.entries(this.#sum(claims)).filter(([, raw]) => raw > 0n).map(([token, raw]) => units(raw, this.#decimals[token]));
  }

  #held() {
    return Promise.all(this.#tokens.map((token) => tokenBalance(this.#node, token, stage.expected.account.address)));
  }

  async #more() {
    const after = await this.#held();
    return Object.fromEntries(this.#tokens.map((token, place) => [token, after[place] - this.#before[place]]));
  }

  #sum(/** @type {Owed[]} */ claims) {
    const raw = (/** @type {string} */ token) => claims.reduce((sum, { pays }) => sum + BigInt(pays[token] ?? 0), 0n);
    return Object.fromEntries(this.#tokens.map((token) => [token, raw(token)]));
  }
}

/** A raw amount with its decimals, without zeros at its end. */
function units(/** @type {bigint} */ raw, /** @type {number} */ decimals) {
  const digits = String(raw).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
