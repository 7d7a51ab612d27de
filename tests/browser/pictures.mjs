// Screenshots, and the pages' fit into the screen, in both themes and at both widths.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertAccessible } from './axe.mjs';
import { DESKTOP, HEIGHT, PHONE, THEMES } from './check.mjs';
import { stage } from './stage.mjs';

const HEIGHT_MAX = 1200; // Of a picture; what is below looks like what is above.
const QUALITY = 75;

/**
 * Looks at the page in each theme and at each width: it is accessible, it fits, and there is a picture of it.
 * @param {import('playwright-core').Page} page
 * @param {string} name
 */
export async function look(page, name) {
  mkdirSync(stage.pictures, { recursive: true });
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    for (const width of [DESKTOP, PHONE]) {
      await page.setViewportSize({ width, height: HEIGHT });
      await assertAccessible(page);
      await picture(page, `${name}-${theme}-${width}`);
    }
  }
}

async function picture(/** @type {import('playwright-core').Page} */ page, /** @type {string} */ name) {
  const [width, wide, high] = await page.evaluate(() => {
    scrollTo(0, 0);
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = document.documentElement;
    // A dialog stands above the screen, and not above the rest of the page.
    return [clientWidth, scrollWidth, document.querySelector('dialog[open]') ? clientHeight : scrollHeight];
  });
  assert.ok(wide <= width, `${name}: the page is ${wide} pixels wide on a screen of ${width}`);
  // Playwright makes no WebP.
  const session = await page.context().newCDPSession(page);
  const clip = { x: 0, y: 0, width, height: Math.min(high, HEIGHT_MAX), scale: 1 };
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, clip, captureBeyondViewport: true });
  await session.detach();
  writeFileSync(join(stage.pictures, `${name}.webp`), Buffer.from(data, 'base64'));
}
