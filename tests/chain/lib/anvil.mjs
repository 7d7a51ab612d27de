// One anvil on a free loopback port, spoken to in JSON-RPC batches. It mines only
// when it has to, so that every block's timestamp and content is the script's.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const PACKAGED = fileURLToPath(new URL('../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url));
const START_MS = 20_000;

// While building, a block may hold everything of one moment; at the end the limit
// is set to what public chains have, because eth_call on the loaded state uses it.
const BUILD_GAS_LIMIT = 20_000_000_000n;
export const GAS_LIMIT = 30_000_000n;

export class Anvil {
  // An empty chain to be built on.
  static start(chainId, timestamp) {
    return Anvil.#run(chainId, timestamp, ['--gas-limit', BUILD_GAS_LIMIT, '--order', 'fifo']);
  }

  // A chain as it was dumped.
  static load(chainId, timestamp, statePath) {
    return Anvil.#run(chainId, timestamp, ['--load-state', statePath]);
  }

  static async #run(chainId, timestamp, more) {
    const program = process.env.ANVIL ?? (existsSync(PACKAGED) ? PACKAGED : 'anvil');
    const flags = ['--host', '127.0.0.1', '--port', '0', '--chain-id', chainId, '--timestamp', timestamp, '--no-mining', ...more];
    const child = spawn(program, flags.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      return new Anvil(child, await listening(child, program));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  async batch(calls) {
    if (calls.length === 0) return [];
    const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const response = await fetch(this.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const answers = new Map((await response.json()).map((answer) => [answer.id, answer]));
    return calls.map(([method], id) => {
      const { error, result } = answers.get(id) ?? { error: { message: 'no answer' } };
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    });
  }

  async rpc(...call) {
    return (await this.batch([call]))[0];
  }

  async dump() {
    const hex = await this.rpc('anvil_dumpState');
    return gunzipSync(Buffer.from(hex.slice(2), 'hex'));
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

function listening(child, program) {
  return new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(() => reject(new Error(`anvil did not listen within ${START_MS} ms`)), START_MS);
    child.once('error', (error) => reject(new Error(`cannot run ${program}: ${error.message}`)));
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened`)));
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
      if (!port) return;
      clearTimeout(timer);
      child.stdout.removeAllListeners('data').resume(); // Keeps the pipe from filling up.
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}
