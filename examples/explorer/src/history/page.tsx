// An account over time.

export function HistoryPage({ account }: { account: string }) {
  return <h1>{account}</h1>;
}
