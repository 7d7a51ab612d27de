// Writes a document for each account, of the documents that Votium publishes: one for each token, with the proofs of all
// accounts. Prints the row of settings that reads them. See plugins/distributors/README.md.
//   git clone --depth 1 https://github.com/oo-00/Votium
//   node accounts.mjs Votium/merkle accounts merkle.example.org > distributors.toml
// The folder `accounts` must not exist. Serve it as it is, and replace it by a new one after each round.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STASH = '0x378ba9b73309be80bf4c2c027aad799766a7ed5a';
const ADDRESS = /^0x[0-9a-f]{40}$/;
const SYMBOL = /^[\w.-]+$/;

const [published, accounts, host] = process.argv.slice(2);
if (!host) throw new Error('node accounts.mjs FOLDER_OF_TOKENS NEW_FOLDER_OF_ACCOUNTS HOST');
mkdirSync(accounts);

const tokens = [];
const entries = new Map(); // By account: members of its document, as text.
for (const { value, symbol } of read('activeTokens.json')) {
  const [token, file] = [address(value), join(checked(symbol, SYMBOL), `${symbol}.json`)];
  if (!existsSync(join(published, file))) {
    console.error(`${token} is left out: there is no ${file}`);
    continue;
  }
  tokens.push(token);
  for (const [of, { index, amount, proof }] of Object.entries(read(file).claims)) {
    const account = address(of);
    if (!entries.has(account)) entries.set(account, []);
    entries.get(account).push(`"${token}":${JSON.stringify({ index, amount, proof })}`);
  }
}
for (const [account, members] of entries) writeFileSync(join(accounts, `${account}.json`), `{${members.join(',')}}`);

console.log(`[[deployment]]
protocol = "votium"
network = "ethereum"
market = "rewards"
merkle_stash = "${STASH}"
stash_tokens = ${JSON.stringify(tokens)}
entries = "https://${host}/{account}.json"`);

function read(file) {
  return JSON.parse(readFileSync(join(published, file), 'utf8'));
}

function address(text) {
  return checked(text.toLowerCase(), ADDRESS);
}

// What is published names files and addresses, and nothing else.
function checked(text, form) {
  if (!form.test(text) || text.includes('..')) throw new Error(`${JSON.stringify(text)} is not of the form ${form}`);
  return text;
}
