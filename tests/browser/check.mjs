// A check of a page: it runs in a context of its own of the one Chromium, under a deadline, and fails too if the page did
// what no page may do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WAIT_MS, launch } from './chromium.mjs';
import { stage } from './stage.mjs';
import { Watch } from './watch.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {'light' | 'dark'} Theme */
/**
 * @typedef {object} Options
 * @property {string} [origin] the gateway's, if there is no other
 * @property {Theme} [theme] what the system prefers
 * @property {number} [width] in pixels
 * @property {{ inject: (page: Page) => Promise<void> }[]} [wallets]
 * @property {RegExp[]} [errors] errors of the console that the check causes
 */

export const THEMES = /** @type {Theme[]} */ (['light', 'dark']);
export const [PHONE, DESKTOP] = [390, 1280]; // Pixels.
export const HEIGHT = 900;

const CHECK_MS = 60_000;
const LOOK_MS = 50;
/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/**
 * Runs `run` with a page that is at no URL yet.
 * @param {string} name
 * @param {Options} options
 * @param {(page: Page, watch: Watch) => Promise<void>} run
 */
export function check(name, options, run) {
  test(name, { timeout: CHECK_MS }, async () => {
    const { origin = stage.base, theme = 'light', width = DESKTOP, wallets = [], errors = [] } = options;
    const context = await browser.newContext({
      baseURL: origin, colorScheme: theme, reducedMotion: 'reduce', locale: 'en-US', timezoneId: 'UTC', viewport: { width, height: HEIGHT },
    });
    context.setDefaultTimeout(WAIT_MS);
    try {
      const page = await context.newPage();
      const watch = await Watch.of(page, origin);
      for (const wallet of wallets) await wallet.inject(page);
      await run(page, watch);
      assert.deepEqual(await watch.faults(errors), [], 'what no page may do');
    } finally {
      await context.close();
    }
  });
}

/**
 * Looks again and again until `look` throws nothing, and returns what it returned.
 * @template T
 * @param {() => Promise<T>} look
 * @returns {Promise<T>}
 */
export async function eventually(look) {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
