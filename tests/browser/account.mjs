// The page of an account, as checks read it.
import { region, values } from './page.mjs';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Opens the page of an account, and waits until everything is read.
 * @param {Page} page
 * @param {string} account
 */
export async function openAccount(page, account) {
  await page.goto(`/#/account/${account}`);
  await region(page, 'Net worth').waitFor();
  await isWhole(page);
}

/** Waits until nothing is being read. */
export async function isWhole(/** @type {Page} */ page) {
  await region(page, 'Net worth').locator('[aria-busy=false]').waitFor();
  for (const name of ['Claimable', 'Positions', 'Balances']) {
    await region(page, name).getByRole('status').filter({ hasText: /^Reading/ }).waitFor({ state: 'detached' });
  }
}

/** The claims: each is one transaction. */
export const claims = (/** @type {Page} */ page) => region(page, 'Claimable').getByRole('listitem').filter({ has: page.getByText('Details', { exact: true }) });

/**
 * The exact value of a figure of the summary.
 * @param {Page} page
 * @param {string} name
 */
export async function figure(page, name) {
  const term = page.locator('dl > div').filter({ has: page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) }) });
  return (await values(term))[0];
}
