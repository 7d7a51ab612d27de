// Pictures of tokens, protocols and networks. They come from sites of others and may fail: then there are initials.

import { useState } from 'preact/hooks';
import { clean } from './text.js';

/** The gateway's own drawings, whatever name it goes by. */
const OWN = /^https?:\/\/[^/]+\/(logos\/protocol\/[\w.-]+\.svg)$/;

export function Logo({ src, name, size = 28 }: { src: string | null; name: string; size?: 18 | 28 | 36 }) {
  const [failed, setFailed] = useState<string | null>(null);
  const url = shownUrl(src);
  if (url === null || failed === url) return <span class={`logo initials size-${size}`} aria-hidden="true">{initials(name)}</span>;
  // The name stands beside it.
  return <img class={`logo size-${size}`} src={url} alt="" width={size} height={size} loading="lazy" decoding="async" referrerpolicy="no-referrer" onError={() => setFailed(url)} />;
}

function shownUrl(src: string | null): string | null {
  if (src === null) return null;
  const own = OWN.exec(src)?.[1];
  return own ?? (src.startsWith('https://') ? src : null);
}

/** Returns up to two letters of a name. */
export function initials(name: string): string {
  const words = clean(name).split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? '')].slice(0, 2);
  return letters.join('').toUpperCase() || '?';
}
