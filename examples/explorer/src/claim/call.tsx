// A call in words: what the wallet will show, and where its contract comes from.

import { count } from '../base/format.js';
import { Hex } from '../base/hex.js';
import { decimal, text } from '../base/decimal.js';
import type { Transaction } from '../api/types.js';

const SOURCES: Record<string, string> = {
  listed: 'The protocol’s plugin lists this contract.',
  settings: 'The operator of this gateway names this contract in the settings.',
  factory: 'A contract of the protocol returned this contract’s address.',
};

export function Call({ of }: { of: Transaction }) {
  const { to, data, value, gas, function: called, targetSource, targetView, byAnyone } = of;
  return (
    <dl class="facts call-facts">
      <dt>Function</dt>
      <dd>
        {called ? <code class="call"><bdi>{called.name}</bdi></code> : <code class="call">{data.slice(0, 10)}</code>}
        {called && called.inputParameters.length > 0 && (
          <ol aria-label="Arguments">
            {called.inputParameters.map(({ value: argument, typeAsString }, place) => <li key={place}><span class="note">{typeAsString}</span> <code><bdi>{argument}</bdi></code></li>)}
          </ol>
        )}
        {called && called.inputParameters.length === 0 && <span class="note"> without arguments</span>}
      </dd>
      <dt>Contract</dt>
      <dd>
        <Hex of={to} what="the contract’s address" whole />
        {targetSource !== undefined && <p class="note">{SOURCES[targetSource] ?? targetSource}{targetView != null && <> It is what <code><bdi>{targetView}</bdi></code> returned.</>}</p>}
        {byAnyone === true && <p class="note">Anyone may send this call; it pays the account all the same.</p>}
      </dd>
      <dt>Sends</dt>
      <dd>{value === undefined ? 'nothing' : <><span class="number">{text({ ...decimal(value), scale: 18 })}</span> of the native token, the claim’s fee</>}</dd>
      <dt>Gas</dt>
      <dd>{gas === undefined ? 'as your wallet estimates' : <>at most <span class="number">{count(gas)}</span></>}</dd>
    </dl>
  );
}
