// A transaction in words.

export function TransactionPage({ network, hash }: { network: string; hash: string }) {
  return <h1>{network} {hash}</h1>;
}
