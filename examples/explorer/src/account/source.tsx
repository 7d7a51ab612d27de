// Where amounts come from: block, contract, function and arguments of the reads. It is loaded when it is opened.

import { useEffect, useState } from 'preact/hooks';
import { count } from '../base/format.js';
import { Hex } from '../base/hex.js';
import { Words } from '../base/text.js';
import { Amount } from '../base/number.js';
import { decimal, text } from '../base/decimal.js';
import type { Provenance, Token } from '../api/types.js';

type Props = { provenance: Provenance | undefined; tokens: (Token | null)[]; plugin: string | undefined; load: () => Promise<void> };

export function Source({ provenance, tokens, plugin, load }: Props) {
  const [state, setState] = useState<'closed' | 'loading' | 'loaded'>('closed');
  useEffect(() => {
    if (state === 'loading') void load().finally(() => setState('loaded'));
  }, [state]);
  if (!provenance) {
    if (state === 'loading') return <p class="loading" role="status">Reading where it comes from…</p>;
    if (state === 'loaded') return <p class="note">The gateway does not say where this comes from. <button type="button" class="link" onClick={() => setState('loading')}>Try again</button></p>;
    return <p><button type="button" class="link" onClick={() => setState('loading')}>Where the numbers come from</button></p>;
  }
  return (
    <div class="source">
      <h4>Where the numbers come from</h4>
      <p class="note">
        Block <span class="number">{count(provenance.block)}</span> <Hex of={provenance.blockHash} what="the block’s hash" />
        {plugin !== undefined && <>, found by the plugin <bdi>{plugin}</bdi></>}
      </p>
      <ul>
        {provenance.amounts.map(({ tokenAddress, amountRaw, computed, reads }, place) => (
          <li key={place}>
            <p><RawAmount raw={amountRaw} token={tokens.find((token) => token?.address === tokenAddress) ?? null} /> {computed ? 'was computed from' : 'was returned by'}</p>
            <ul class="reads">
              {reads.map((read) => (
                <li key={`${read.contract} ${read.data}`}>
                  <code class="call"><bdi>{read.function ?? `${read.data.slice(0, 10)}… (the plugin does not name the function)`}</bdi></code> of <Hex of={read.contract} what="the contract’s address" />
                  {read.arguments && read.arguments.length > 0 && (
                    <ol aria-label="Arguments">
                      {read.arguments.map(({ value, typeAsString }, index) => <li key={index}><span class="note">{typeAsString}</span> <code><bdi>{value}</bdi></code></li>)}
                    </ol>
                  )}
                  {read.ageSeconds > 0 && <p class="note">read {count(read.ageSeconds)} s before the block</p>}
                </li>
              ))}
              {reads.length === 0 && <li class="note">no read of this network</li>}
            </ul>
          </li>
        ))}
      </ul>
    </div>
  );
}

function RawAmount({ raw, token }: { raw: string; token: Token | null }) {
  if (!token) return <><span class="number">{count(BigInt(raw))}</span> smallest units</>;
  const amount = text({ ...decimal(raw), scale: token.decimals });
  return <><Amount of={amount} /> <Words of={token.symbol} /></>;
}
