// Every page: accessible, within the screen, and without anything that no page may do.
import { claims, openAccount } from './account.mjs';
import { check } from './check.mjs';
import { region } from './page.mjs';
import { look } from './pictures.mjs';
import { stage } from './stage.mjs';
import { Wallet } from './wallet.mjs';

/** @typedef {import('playwright-core').Page} Page */

const { accounts, transaction } = stage.expected;
const nodes = Object.fromEntries(stage.nodes.map(({ chainId, url }) => [chainId, url]));
const wallet = new Wallet({ account: accounts.exited.address, nodes });

/** @type {Record<string, (page: Page) => Promise<void>>} */
const PAGES = {
  search: (page) => go(page, '/', 'heading'),
  unknown: (page) => go(page, '/#/nowhere', 'heading'),
  account: (page) => openAccount(page, accounts.farmer.address),
  nothing: (page) => openAccount(page, accounts.nothing.address),
  partial: (page) => openAccount(page, accounts.odd.address),
  plan: async (page) => {
    await page.goto(`/#/account/${accounts.exited.address}/claim/polygon`);
    await region(page, 'It pays').waitFor();
  },
  history: async (page) => {
    await page.goto(`/#/account/${accounts.farmer.address}/history`);
    await page.getByRole('status').filter({ hasText: /points were read\.$/ }).waitFor();
  },
  transaction: async (page) => {
    await page.goto(`/#/tx/${transaction.network}/${transaction.hash}`);
    await region(page, 'Events').waitFor();
  },
  wallets: async (page) => {
    await go(page, '/', 'heading');
    await page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).click();
    await page.getByRole('dialog').waitFor();
  },
  claim: async (page) => {
    await openAccount(page, accounts.exited.address);
    await page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).click();
    await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click();
    await page.getByRole('banner').getByRole('button', { name: 'Disconnect' }).waitFor();
    await claims(page).getByRole('button', { name: 'Claim', exact: true }).first().click();
    await page.getByRole('button', { name: `Send with ${wallet.name}` }).waitFor();
  },
};

for (const [name, open] of Object.entries(PAGES)) {
  check(`the page ${name}`, { wallets: [wallet] }, async (page) => {
    await open(page);
    await look(page, name);
  });
}

check('the theme is a setting that stays', { theme: 'light' }, async (page) => {
  await go(page, '/', 'heading');
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.locator('html[data-theme=dark]').waitFor();
  await page.reload();
  await page.locator('html[data-theme=dark]').waitFor();
});

/** @param {Page} page @param {string} path @param {'heading'} role */
async function go(page, path, role) {
  await page.goto(path);
  await page.getByRole(role, { level: 1 }).waitFor();
}
