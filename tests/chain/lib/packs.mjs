// Packages whose dependency trees do not install, or of which a few files of many
// megabytes are needed: fetched with `npm pack`, checked against the digests pinned
// here, and read from the archive without unpacking it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('../node_modules/.packs/', import.meta.url)); // Not part of the sources' digest.
const BLOCK = 512; // Of the tar format.
const PATH_RECORD = 'path'; // Of a header for names that are too long for the plain one.

// By name, and by name and version where two of one package are needed.
const PINNED = {
  '@aave/core-v3': ['1.19.3', 'sha512-Xr7+VcoU5b4mPwM4IUCnskw3lciwrnL4Xloyad8GOddYeixnri2lZYobNmErm1LwE50vqjI0O+9QGNKY2TDkeQ=='],
  '@aave/periphery-v3': ['3.0.1', 'sha512-z4+YKhnhoLNC63g67geguL//IdNgEgpgfEiONph/cgg/L9jXAGKjjSS7ZStXH0KnFGoqk44t9XG/idyJGcQA8A=='],
  '@balancer-labs/v2-deployments': ['3.2.0', 'sha512-pghD7qyTVp1832d7F7yHgAeh/EZvS2/GLvUx9ieM671NMh1KTprYZOBCpEVVC9JnE1Vpru5rc9DDNlFw3capVw=='],
  '@cryptoalgebra/core': ['3.0.0', 'sha512-yTWD8yYHlnSQ22BIH15fCb1OfAUMKseykQvr3Y3CGuy5akqzjjTHn4C7FGfiQJkTxrUxzrXhBqjaisNj9QzAEg=='],
  '@cryptoalgebra/integral-core': ['1.2.10', 'sha512-L6A09tSmcsmZZEwLG3W5ve1RzPManARHiDdkbLq8F7mQa+C6hegq+w1FICHNFKNtkfo+eChZF97Du6SVfJkeUQ=='],
  '@cryptoalgebra/integral-periphery': ['1.2.4', 'sha512-gaVKaZ7EWMkbzS6z7tzTB3C2r9vdupfGbAscWNEXB57A47b3uWo7hElfsxg/gfb0FmBFpfaamqVW+Q8FHZatLg=='],
  '@cryptoalgebra/periphery': ['2.0.1', 'sha512-Ipa2pAk6uuCh9eUb7qViMs5qTfZ8VKNXtDIbUSUTf1fdxzEyflEIVF65wBCGwJjAG+6xg5evzOZLV1tygSeO9A=='],
  '@ensdomains/ethregistrar': ['2.0.5', 'sha512-jd1Ca9m0HsfIJQ+dqmyrVBF3fXVDUnzMQmJU1IxydJVvqPq0Ijh/aP/8YoPjLpuzlfnTqUdX0VIAZvTCMw4Tag=='],
  '@ensdomains/resolver': ['0.3.1', 'sha512-cXY7nomODddJ59pvkwkxp7StgKcv8Xb0OhQE/pCe80448T8tELPGEghf2thtjz4+4f+c7mt8XJQ04Y0Guc0lnA=='],
  '@morpho-org/morpho-blue': ['1.0.0', 'sha512-MKtzYMRE65B1hVJYAPtml3ecHPY2e/SL3JRvM7XWjtbnWQX6U/C3beSdxr7v+rHaVJ0ri/dUPxvNfWtr0NZdGw=='],
  '@openzeppelin/contracts': ['3.4.2', 'sha512-z0zMCjyhhp4y7XKAcDAi3Vgms4T2PstwBdahiO0+9NaGICQKjynK3wduSRplTgk4LXmoO1yfDGO5RbjKYxtuxA=='],
  '@openzeppelin/contracts@5.4.0': ['5.4.0', 'sha512-eCYgWnLg6WO+X52I16TZt8uEjbtdkgLC0SUX/xnAksjjrQI4Xfn4iBRoI5j55dmlOhDv1Y7BoR3cU7e3WWhC6A=='],
  '@openzeppelin/contracts@5.0.2': ['5.0.2', 'sha512-ytPc6eLGcHHnapAZ9S+5qsdomhjo6QBHTDRRBFfTxXIpsicMhVPouPgmUPebZZZGX7vt9USA+Z+0M0dSVtSUEA=='],
  '@openzeppelin/contracts-upgradeable': ['5.0.2', 'sha512-0MmkHSHiW2NRFiT9/r5Lu4eJq5UJ4/tzlOgYXNAIj/ONkQTVnz22pLxDvp4C4uZ9he7ZFvGn3Driptn1/iU7tQ=='],
  '@pangolindex/exchange-contracts': ['2.1.9', 'sha512-AnV9zrhfWHJZp1gtmLkE2X5gsKVll55C5+K8BiIo74oLi65ZiAuHufhL58qfOeYMjmltMYyXpKNaJ+2uUqc+SA=='],
  '@pendle/core-v2': ['6.11.0', 'sha512-Q7h2KaYzYl8kZKNPe5qWKHYtdToVEL9FqCH0/5ab9/H34JBdutQoqo8hcggfaPYlziOOQ79dgbWfvyzMDJNQCw=='],
  '@sablier/lockup': ['4.0.1', 'sha512-jEWd1RqcYpjFx9X5SCju9Aqlge+R5zSxb+7K2jYt7wtytTQmUzIRN+q4UadMcJMSmskHU+6mf9lDfkng9Bgjrw=='],
  '@sablier/v2-core': ['1.2.0', 'sha512-tk7K8jLxxqDGuXqOqc3ZbrG4r/MeC9iTLo5IYCsqsuHRvjBiWDe2a6gecu02Tfq5sInNgXoClC5FERhJeaMq3A=='],
  '@setprotocol/set-protocol-v2': ['0.1.16', 'sha512-84/rvT7b2k5SFaF5C/vh2SKV/DS4F+9i7E/5rkQBlU+XnNRnGjG/xROsbYYLkkMaz5YPQVDnDZI5tbZ+JsZYhg=='],
  '@superfluid-finance/ethereum-contracts': ['1.15.2', 'sha512-pvNZvjR72VNdVsUyk0AEsyU8nhk3ClFI9IDfpDVgHaeupugUzrtrsWAwr8s9iAbNgC7uS4e3/kz1Afd+aK5H7Q=='],
  '@sushiswap/core': ['1.4.2', 'sha512-Khd2i6Bob9uk7dCgVkhUioEoxRP28m6aj25MegAHvnJyxZPVzZDhxSkeL6wdv5MeAp2DwHkYqUq03KDfVTTP4Q=='],
  '@symbioticfi/core': ['1.0.3', 'sha512-YBMv1XoP3RxZeNDmEUsNQzF3i70Pa16WiauZF/zLWUJ6VQ6KLTFqE/4TIvbZKuy0jaF0+dMsXgg8bw0h9mpEwA=='],
  '@uniswap/merkle-distributor': ['1.0.1', 'sha512-5gDiTI5hrXIh5UWTrxKYjw30QQDnpl8ckDSpefldNenDlYO1RKkdUYMYpvrqGi2r7YzLYTlO6+TDlNs6O7hDRw=='],
  '@uniswap/v3-core': ['1.0.1', 'sha512-7pVk4hEm00j9tc71Y9+ssYpO6ytkeI0y7WE9P6UcmNzhxPePwyAxImuhVsTqWK9YFvzgtvzJHi64pBl4jUzKMQ=='],
  '@uniswap/v3-periphery': ['1.4.4', 'sha512-S4+m+wh8HbWSO3DKk4LwUCPZJTpCugIsHrWR86m/OrUyvSqGDTXKFfc2sMuGXCZrD1ZqO3rhQsKgdWg3Hbb2Kw=='],
  solc: ['0.6.12', 'sha512-Lm0Ql2G9Qc7yPP2Ba+WNmzw2jwsrd3u4PobHYlSOxaut3TtUbj9+5ZrT6f4DUpNPEoBaFUOEg9Op9C0mk7ge9g=='],
  'solc@0.8.19': ['0.8.19', 'sha512-yqurS3wzC4LdEvmMobODXqprV4MYJcVtinuxgrp61ac8K2zz40vXA0eSAskSHPgv8dQo7Nux39i3QBsHx4pqyA=='],
  'solc@0.8.25': ['0.8.25', 'sha512-7P0TF8gPeudl1Ko3RGkyY6XVCxe2SdD/qQhtns1vl3yAbK/PDifKDLHGtx1t7mX3LgR7ojV7Fg/Kc6Q9D2T8UQ=='],
  'sphere-mezo-solidity-files': ['1.2.0', 'sha512-slDQvcqBgUQKzVLo5uHVKH3E367t07TPXNcHzxuSXaH/1iVWWDPnmXD6Z+BlvcI+QPcOTq/6PSpqS+zu4krT/g=='],
  synthetix: ['2.102.1', 'sha512-SJsFT5VRqkQjqDO2K3s2h9LqnPjIIqAPEP6wV9MKnC5rcCBzkKYsHbba0Q+pRHxrM18ODic4HC51AYtaQcRu/Q=='],
};

const fetched = fetchMissing();

// The files of a package as a map from path to content.
export async function packed(name) {
  await fetched;
  const bytes = readFileSync(archive(name));
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found !== PINNED[name][1]) throw new Error(`${name} is not the pinned one: ${found}`);
  return files(gunzipSync(bytes));
}

// All at once, because each run of npm takes its time.
async function fetchMissing() {
  const missing = Object.keys(PINNED).filter((name) => !existsSync(archive(name)));
  if (missing.length === 0) return;
  mkdirSync(FOLDER, { recursive: true });
  const wanted = missing.map((name) => `${plain(name)}@${PINNED[name][0]}`);
  await promisify(execFile)('npm', ['pack', ...wanted, '--pack-destination', FOLDER, '--prefer-offline', '--ignore-scripts'], { cwd: FOLDER });
}

function archive(name) {
  return `${FOLDER}${plain(name).replace('@', '').replace('/', '-')}-${PINNED[name][0]}.tgz`;
}

function plain(name) {
  return name.replace(/(?<=.)@.*/, '');
}

export { FOLDER as packsFolder };

function files(tar) {
  const found = new Map();
  let longName = null;
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const header = tar.subarray(at, at + BLOCK);
    const size = parseInt(text(header, 124, 12), 8);
    const content = tar.subarray(at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(header[156]);
    if (type === 'x') {
      longName = records(content).get(PATH_RECORD) ?? null;
    } else if (type !== 'g') {
      const prefix = text(header, 345, 155);
      const name = longName ?? `${prefix && `${prefix}/`}${text(header, 0, 100)}`;
      found.set(name.replace(/^package\//, ''), content);
      longName = null;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}

// Lines of the form "<length> <key>=<value>".
function records(content) {
  return new Map(content.toString('utf8').split('\n').filter(Boolean).map((line) => {
    const record = line.slice(line.indexOf(' ') + 1);
    const split = record.indexOf('=');
    return [record.slice(0, split), record.slice(split + 1)];
  }));
}

function text(header, from, length) {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('utf8').trim();
}
