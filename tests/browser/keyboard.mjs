// A page without a mouse.
import assert from 'node:assert/strict';

const TABS_MAX = 300;

/**
 * Presses Tab until something has the focus, which has to be seen, and then Enter.
 * @param {import('playwright-core').Page} page
 * @param {import('playwright-core').Locator} target
 */
export async function press(page, target) {
  await target.waitFor();
  for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      const outline = await target.evaluate((element) => getComputedStyle(element).outlineStyle);
      assert.notEqual(outline, 'none', 'what has the focus is not marked');
      return page.keyboard.press('Enter');
    }
    await page.keyboard.press('Tab');
  }
  assert.fail(`no focus after ${TABS_MAX} tabs: ${target}`);
}
