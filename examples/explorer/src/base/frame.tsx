// What surrounds every page: the header with its actions, and the main part, which gets the focus of a new page.

import type { ComponentChildren } from 'preact';
import { switchTheme, theme } from '../theme/theme.js';

export function Frame({ home, name, actions, children }: { home: string; name: string; actions?: ComponentChildren; children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      <header class="top">
        <a class="brand" href={home}>
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><circle cx="16" cy="16" r="14" fill="none" stroke="currentColor" stroke-width="1.5" /><path d="M16 3l2.4 10.6L29 16l-10.6 2.4L16 29l-2.4-10.6L3 16l10.6-2.4z" fill="currentColor" /></svg>
          <span>{name}</span>
        </a>
        {actions}
        <button type="button" class="quiet theme" aria-label="Theme" aria-pressed={theme() === 'dark'} title={theme() === 'dark' ? 'Light theme' : 'Dark theme'} onClick={switchTheme}>
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="7.25" fill="none" stroke="currentColor" stroke-width="1.5" /><path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" /></svg>
        </button>
      </header>
      <main id="main" tabIndex={-1}>{children}</main>
    </>
  );
}
