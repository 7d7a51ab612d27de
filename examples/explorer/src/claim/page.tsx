// All claims of a network as one plan.

export function PlanPage({ account, network }: { account: string; network: string }) {
  return <h1>{account} {network}</h1>;
}
