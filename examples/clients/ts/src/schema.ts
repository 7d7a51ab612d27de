// Interim.
type Network = { name: string; logo: string; chainId: number };
type Amount = number | string;
type Token = { address: string; name: string; symbol: string; decimals: number; logo: string | null; type: string };
type Transaction = { network?: Network; to: string; from: string; data: string; gas?: number | null; value?: string | null };
type Claimable = {
  id: string; claimId: string; name: string; network: Network; dollarValue: Amount; netDollarValue: Amount | null; amount: Amount; paidTo?: string | null;
  token: Token; simulated: string | null; differs?: string[]; claimTransaction: Transaction | null; claimSteps?: Transaction[];
};
type ClaimPlan = {
  network: Network; account: string; simulated: string | null; differs?: string[];
  transactions: (Transaction & { claimIds: string[] })[];
  pays: { token: Token | null; tokenAddress: string; amount: Amount | null; amountRaw: string; paidTo: string }[];
  leftOut: { claimId: string; reason: string }[];
};
export type components = { schemas: { Claimable: Claimable; ClaimPlan: ClaimPlan; Transaction: Transaction; Portfolio: object; Balance: object; Event: object; NameRecord: object } };
