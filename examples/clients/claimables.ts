// All claimables of an account. With Node 22.6 or newer: node --experimental-strip-types claimables.ts 0xf18a…
// JSON.parse makes amounts binary floats: fine for showing; request `?detail=full` for `amountRaw` as exact text.

type Claimable = {
  name: string;
  protocol: { slug: string };
  network: { name: string };
  dollarValue: number;
  amountRaw: string;
  token: { symbol: string; decimals: number };
  claimTransaction: { to: string; from: string | null; data: string };
};

const CLAIMABLES_URL = process.env.CLAIMABLES_URL ?? 'http://127.0.0.1:8081';

// The rows, and what is missing from them; null where nothing is.
async function claimables(address: string): Promise<{ items: Claimable[]; missing: string | null }> {
  const answer = await fetch(`${CLAIMABLES_URL}/${address}?detail=full`, { signal: AbortSignal.timeout(15_000) });
  if (!answer.ok) {
    const problem = (await answer.json()) as { detail: string }; // RFC 9457
    throw new Error(`${answer.status}: ${problem.detail}`);
  }
  const { items } = (await answer.json()) as { items: Claimable[] };
  return { items, missing: answer.headers.get('portolan-partial') };
}

const { items, missing } = await claimables(process.argv[2] ?? '');
for (const { protocol, network, name, amountRaw, token, claimTransaction } of items) {
  console.log(`${protocol.slug}/${network.name}: ${name}: ${amountRaw} / 10^${token.decimals} ${token.symbol}`);
  console.log(`  claim: to ${claimTransaction.to}, from ${claimTransaction.from ?? 'anyone'}, data ${claimTransaction.data}`);
}
if (missing !== null) {
  console.error(`missing: ${missing}`);
  process.exitCode = 3;
}
