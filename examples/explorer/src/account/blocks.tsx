// The blocks that the page is at, and how it follows newer ones.

import { count } from '../base/format.js';
import { networkOfSlug } from '../api/networks.js';
import type { AccountStore } from './store.js';

export function Blocks({ store }: { store: AccountStore }) {
  const blocks = Object.entries(store.blocks.value);
  const reading = Object.values(store.progress).some(({ value }) => value.state === 'reading');
  const live = store.live.value;
  return (
    <div class="blocks">
      <p class={live === 'live' ? 'live on' : 'live'}>
        <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="currentColor" /></svg>
        {reading ? 'Reading…' : live === 'live' ? 'Live' : live === 'connecting' ? 'Connecting…' : 'Not live'}
        {!reading && live === 'no' && <button type="button" class="link" onClick={() => void store.refresh()}>Read again</button>}
      </p>
      {blocks.length > 0 && (
        <ul aria-label="Blocks">
          {blocks.map(([slug, number]) => <li key={slug}>{networkOfSlug(slug)?.name ?? slug} <span class="number">{count(number)}</span></li>)}
        </ul>
      )}
    </div>
  );
}
