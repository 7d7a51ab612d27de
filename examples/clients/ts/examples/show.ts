// Prints an answer as JSON. Exit code 3 says that something is missing from it, 1 that there is none.
//   node dist/examples/show.js claimables 0xf18adf71266411ff39ffc268843c9a64b3292d86
// PORTOLAN_URL is the gateway's address, http://127.0.0.1:8080 by default.

import { Portolan, Problem } from '../src/index.js';

const portolan = new Portolan({ url: process.env['PORTOLAN_URL'] ?? 'http://127.0.0.1:8080' });

const questions = {
  claimables: (account) => portolan.claimables(account),
  positions: (account) => portolan.positions(account),
  balances: (account) => portolan.balances(account),
  plan: (account, network) => portolan.plan(account, network),
  events: (hash, network) => portolan.events(hash, network),
  'address-of': (name) => portolan.addressOf(name),
  'name-of': (address) => portolan.nameOf(address),
} satisfies Record<string, (about: string, network: string) => Promise<{ missing: unknown[] }>>;

const [question = '', about, network = ''] = process.argv.slice(2);
if (!Object.hasOwn(questions, question) || about === undefined) {
  console.error(`usage: node show.js ${Object.keys(questions).join('|')} ABOUT [NETWORK]`);
  process.exit(2);
}
try {
  const answer = await questions[question as keyof typeof questions](about, network);
  console.log(JSON.stringify(answer));
  for (const gap of answer.missing) console.error('missing:', gap);
  process.exitCode = answer.missing.length > 0 ? 3 : 0;
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(`${error.kind}: ${error.detail}`);
  process.exitCode = 1;
}
