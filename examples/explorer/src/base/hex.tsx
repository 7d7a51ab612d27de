// Addresses and hashes: short, with all of them one click away.

import { useState } from 'preact/hooks';
import { getAddress, isAddress } from 'viem/utils';
import { shortHex } from './format.js';

/** Writes an address with its checksum (EIP-55); other hex as it is. */
export function checksummed(hex: string): string {
  return isAddress(hex, { strict: false }) ? getAddress(hex) : hex;
}

/** Shows an address or a hash, and copies it. */
export function Hex({ of, what, whole = false }: { of: string; what: string; whole?: boolean }) {
  const [copied, setCopied] = useState(false);
  const hex = checksummed(of);
  const copy = () =>
    navigator.clipboard?.writeText(hex).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <span class="hex">
      <code title={hex}>{whole ? hex : shortHex(hex)}</code>
      <button type="button" class="copy" aria-label={`Copy ${what}`} title={copied ? 'Copied' : `Copy ${what}`} onClick={copy} onBlur={() => setCopied(false)}>
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          {copied ? <path d="M3 8.5l3.2 3.2L13 5" fill="none" stroke="currentColor" stroke-width="1.6" /> : <path d="M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z" fill="none" stroke="currentColor" stroke-width="1.3" />}
        </svg>
      </button>
      <span class="hidden" role="status">{copied ? 'Copied' : ''}</span>
    </span>
  );
}
