// The theme: a setting of this browser, or the system's.

import { signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const SETTING = 'portolan-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

const chosen = signal<Theme | null>(stored());
const ofSystem = signal<Theme>(system.matches ? 'dark' : 'light');
system.addEventListener('change', () => (ofSystem.value = system.matches ? 'dark' : 'light'));
if (chosen.value) document.documentElement.dataset['theme'] = chosen.value;

/** The theme in force. */
export function theme(): Theme {
  return chosen.value ?? ofSystem.value;
}

/** Changes to the other theme, and keeps it as the setting. */
export function switchTheme(): void {
  chosen.value = theme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset['theme'] = chosen.value;
  try {
    localStorage.setItem(SETTING, chosen.value);
  } catch {
    // A browser without storage keeps it until the page is left.
  }
}

function stored(): Theme | null {
  try {
    const setting = localStorage.getItem(SETTING);
    return setting === 'light' || setting === 'dark' ? setting : null;
  } catch {
    return null;
  }
}
