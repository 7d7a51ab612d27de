// node viem_names.mjs URL UNIVERSAL_RESOLVER < QUESTIONS: calls viem's getEnsAddress and getEnsName. Questions are
// [{ name, coin }] or [{ address, coin }]; each has one answer: { found }, which is null for none, or { error }.
import { text } from 'node:stream/consumers';
import { createPublicClient, http } from 'viem';
import { mainnet } from 'viem/chains';
import { getEnsAddress, getEnsName, normalize } from 'viem/ens';

const ETHER = 60;

const [url, universalResolverAddress] = process.argv.slice(2);
if (!universalResolverAddress) {
  console.error('usage: node viem_names.mjs URL UNIVERSAL_RESOLVER < QUESTIONS');
  process.exit(2);
}
const client = createPublicClient({ chain: mainnet, transport: http(url, { retryCount: 0 }) });
const questions = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(await Promise.all(questions.map(answer))));

async function answer({ name, address, coin }) {
  try {
    const found = name === undefined
      ? await getEnsName(client, { address, coinType: BigInt(coin), universalResolverAddress })
      : await getEnsAddress(client, { name: normalize(name), universalResolverAddress, ...(coin !== ETHER && { coinType: BigInt(coin) }) });
    return { found: found?.startsWith('0x') ? found.toLowerCase() : found };
  } catch (error) {
    return { error: `${error.shortMessage ?? error.message}`.slice(0, 300) };
  }
}
