// node generate.mjs: writes shipped.tsv from the packages of package-lock.json; same packages, same bytes.
// node generate.mjs --check: writes nothing, and fails where the file is another one.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CARRIED, CHAIN_IDS, LOGO_REPOSITORIES, NATIVE, SOURCES, WRONG } from './sources.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const readJson = (name) => JSON.parse(readFileSync(here(name), 'utf8'));

const locked = readJson('package-lock.json').packages;
const goneLogos = new Set(readFileSync(here('gone_logos.txt'), 'utf8').split('\n').filter((line) => !line.startsWith('#')));
const rows = new Map();
const headers = [];
for (const source of SOURCES) {
  const { version, integrity } = locked[`node_modules/${source.name}`];
  const installed = readJson(`node_modules/${source.name}/package.json`).version;
  if (installed !== version) throw new Error(`${source.name} ${installed} is installed, not ${version}: npm ci`);
  const list = readJson(`node_modules/${source.name}/${source.file}`);
  const tokens = [...ownTokens(list), ...bridgedTokens(list)].filter((token) => CHAIN_IDS.includes(token.chainId) && ![...WRONG, ...NATIVE].includes(key(token)));
  if (!CARRIED.includes(source.licence)) {
    console.log(`${source.name} ${version}: ${distinct(tokens)} tokens left out, ${source.licence}`);
    continue;
  }
  const before = rows.size;
  for (const token of tokens) if (!rows.has(key(token))) rows.set(key(token), row(token));
  console.log(`${source.name} ${version}: ${rows.size - before} tokens, ${source.licence}`);
  headers.push(`# source ${source.name} ${version} ${list.timestamp} ${source.licence} ${integrity}`);
}

const body = [...rows.keys()].sort(byNumberThenText).map((key) => `${rows.get(key)}\n`).join('');
const counts = CHAIN_IDS.map((id) => `${id}:${[...rows.keys()].filter((key) => key.startsWith(`${id}\t`)).length}`);
const text = [
  '# The tokens that Portolan ships with: made by generate.mjs, not by hand.',
  '# Columns: chain id, address, decimals, symbol, name, logo. The sum is that of all rows.',
  ...headers,
  `# tokens ${counts.join(' ')}`,
  `# sha256 ${createHash('sha256').update(body).digest('hex')}`,
  body,
].join('\n');

if (process.argv[2] === '--check') {
  const there = readFileSync(here('shipped.tsv'), 'utf8');
  if (there !== text) throw new Error('shipped.tsv is not what these packages make');
} else {
  writeFileSync(here('shipped.tsv'), text);
}

function* ownTokens(list) {
  for (const token of list.tokens) if (/^0x[0-9a-fA-F]{40}$/.test(token.address)) yield token;
}

// A token's other addresses, as `extensions.bridgeInfo` names them, under the name that it has at home.
function* bridgedTokens(list) {
  for (const token of list.tokens) {
    for (const [chainId, { tokenAddress }] of Object.entries(token.extensions?.bridgeInfo ?? {})) {
      if (/^0x[0-9a-fA-F]{40}$/.test(tokenAddress)) yield { ...token, chainId: Number(chainId), address: tokenAddress };
    }
  }
}

function key({ chainId, address }) {
  return `${chainId}\t${address.toLowerCase()}`;
}

function distinct(tokens) {
  return new Set(tokens.map(key)).size;
}

function row(token) {
  const isThere = LOGO_REPOSITORIES.some((base) => token.logoURI?.startsWith(base)) && !goneLogos.has(key(token));
  const logo = isThere ? token.logoURI : '';
  const cells = [token.decimals, token.symbol, token.name, logo].map(String);
  if (cells.some((cell) => /\p{C}/u.test(cell))) throw new Error(`${key(token)}: a control or format character`);
  return [key(token), ...cells].join('\t');
}

function byNumberThenText(one, other) {
  return Number.parseInt(one, 10) - Number.parseInt(other, 10) || (one < other ? -1 : 1);
}
