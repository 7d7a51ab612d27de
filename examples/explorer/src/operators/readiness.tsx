// Ready or not, and what is served less or otherwise than it should be.

import { Notice } from '../base/parts.js';
import { Words } from '../base/text.js';
import type { Ready } from './types.js';

const WORDS_MAX = 500;

export function Readiness({ of: { ready, reasons, degraded } }: { of: Ready }) {
  return (
    <>
      {!ready && <Notice kind="bad"><p><strong>Not ready</strong></p><Sentences of={reasons} /></Notice>}
      {degraded.length > 0 && <Notice kind="warn"><p><strong>Degraded</strong></p><Sentences of={degraded} /></Notice>}
    </>
  );
}

function Sentences({ of }: { of: string[] }) {
  return <ul class="sentences">{of.map((words) => <li key={words}><Words of={words} max={WORDS_MAX} /></li>)}</ul>;
}
