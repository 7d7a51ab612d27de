// An answer that did not come.

import { Notice } from '../base/parts.js';
import type { Progress } from './store.js';

export function Failure({ progress, retry }: { progress: Progress; retry: () => void }) {
  if (progress.state !== 'failed') return null;
  return (
    <Notice kind="bad">
      <p>{progress.why}</p>
      <p><button type="button" class="quiet" onClick={retry}>Try again</button></p>
    </Notice>
  );
}
