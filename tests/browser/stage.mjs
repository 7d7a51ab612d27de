// What a test has set up: addresses of the gateway and of the chains, accounts, and the values that the arithmetic of the
// chains' build expects. It is the JSON file that the variable STAGE names.
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Stage
 * @property {string} base the gateway's origin
 * @property {string} operators the origin of the operators' listener
 * @property {string} chromium the program
 * @property {string} pictures the folder that screenshots are written to
 * @property {{ network: string, chainId: string, url: string }[]} nodes of the chains
 * @property {any} expected what the checks of one file expect
 */

const file = process.env.STAGE;
if (!file) throw new Error('STAGE names no file: `cargo test -p portolan-tests --test browser` runs these checks');

/** @type {Stage} */
export const stage = JSON.parse(readFileSync(file, 'utf8'));
