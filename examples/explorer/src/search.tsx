// Search: an address, a name or a transaction.

export function SearchPage() {
  return <h1>Portolan</h1>;
}
