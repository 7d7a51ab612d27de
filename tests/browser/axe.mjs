// Accessibility as axe-core judges it: all of its rules, best practices too.
import assert from 'node:assert/strict';
import axe from 'axe-core';

/**
 * Fails with what is wrong on the page as it is now.
 * @param {import('playwright-core').Page} page
 */
export async function assertAccessible(page) {
  // The debugger evaluates it, which the page's policy does not forbid.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => /** @type {any} */ (window).axe.run());
  const shown = violations.map(({ id, help, nodes }) => {
    return `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`).join('; ')}`;
  });
  assert.deepEqual(shown, [], `axe at ${page.url()}`);
}
