// Asks for the operators' token.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Card } from '../base/parts.js';

export function Access({ refused, onToken }: { refused: boolean; onToken: (token: string) => void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [token, setToken] = useState('');
  useEffect(() => field.current?.focus(), [refused]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (token.trim() !== '') onToken(token.trim());
    setToken('');
  };
  return (
    <Card kind="access">
      <h2>Token</h2>
      <p class="note">This listener wants the token of <code>operators.token_file</code>. The page holds it in memory, until it is closed or loaded again.</p>
      <form onSubmit={submit}>
        <label for={id}>Operators' token</label>
        <input ref={field} id={id} type="password" value={token} autocomplete="off" required aria-invalid={refused} aria-describedby={refused ? `${id}-error` : undefined} onInput={(event) => setToken(event.currentTarget.value)} />
        <button type="submit">Show</button>
      </form>
      {refused && <p id={`${id}-error`} class="error" role="alert">The listener refused this token.</p>}
    </Card>
  );
}
