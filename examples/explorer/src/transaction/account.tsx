// Chooses for whom a transaction is told.

import { useId, useState } from 'preact/hooks';
import { wanted } from '../base/ids.js';

type Props = { account: string | undefined; accounts: string[]; onAccount: (account: string) => void };

export function ForAccount({ account, accounts, onAccount }: Props) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string | null>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const found = wanted(typed ?? account ?? '');
    if (found.what !== 'account') return setError(found.what === 'nothing' ? found.why : 'This is the hash of a transaction, and no account.');
    setError(null);
    setTyped(undefined);
    onAccount(found.account);
  };
  return (
    <form class="for-account" onSubmit={submit}>
      <label for={id}>As seen by</label>
      <input id={id} list={`${id}-accounts`} value={typed ?? account ?? ''} placeholder="Address or name" autocomplete="off" spellcheck={false} aria-invalid={error !== null} aria-describedby={error === null ? undefined : `${id}-error`} onInput={(event) => setTyped(event.currentTarget.value)} />
      <datalist id={`${id}-accounts`}>{accounts.map((one) => <option key={one} value={one} />)}</datalist>
      <button type="submit" class="quiet" aria-label="Show for this account">Show</button>
      {error !== null && <p id={`${id}-error`} class="error" role="alert">{error}</p>}
    </form>
  );
}
