// What an account has and can claim.

export function AccountPage({ account }: { account: string }) {
  return <h1>{account}</h1>;
}
