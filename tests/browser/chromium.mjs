// The one Chromium of a program.
import { chromium } from 'playwright-core';
import { stage } from './stage.mjs';

export const WAIT_MS = 15_000; // For anything that Chromium or a page must do.

const FLAGS = [
  '--disable-dev-shm-usage', // It is small in containers.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', // Nothing leaves this machine.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), // Chromium refuses its sandbox to root.
];

/** Starts it; it ends with this process. */
export function launch() {
  return chromium.launch({ executablePath: stage.chromium, args: FLAGS, timeout: WAIT_MS });
}
