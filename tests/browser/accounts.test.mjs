// Accounts with everything, with nothing and with gaps, and the way to them.
import assert from 'node:assert/strict';
import { claims, figure, openAccount } from './account.mjs';
import { check, eventually } from './check.mjs';
import { assertDollars, region, shows, values } from './page.mjs';
import { stage } from './stage.mjs';

const { farmer, nothing, odd } = stage.expected.accounts;

check('an account with everything has each amount and each sum', {}, async (page) => {
  await openAccount(page, farmer.address);
  await shows(region(page, 'Claimable'), farmer.claimables.map((/** @type {any} */ { amount }) => amount));
  await shows(region(page, 'Positions'), farmer.legs);
  await shows(region(page, 'Balances'), farmer.native);
  assertDollars(await figure(page, 'In protocols'), farmer.assets);
  assertDollars(await figure(page, 'Owed'), `-${farmer.debts}`);
  assertDollars(await figure(page, 'Can be claimed'), farmer.claimable);
  const [net] = await values(region(page, 'Net worth'));
  const parts = await Promise.all(['In the wallet', 'In protocols', 'Owed'].map((name) => figure(page, name)));
  assertDollars(net, String(parts.reduce((sum, part) => sum + Number(part), 0)));
  // Of two regions with this name, the second is the table within the first.
  const [, ...debts] = await values(region(page, 'Debts').first());
  assert.ok(debts.length > 0, 'the farmer owes something');
  assert.equal(await region(page, 'What could not be read').count(), 0);
});

check('each claim says what its trial did, and where its numbers come from', {}, async (page) => {
  await openAccount(page, farmer.address);
  const [expected] = farmer.claimables;
  const claim = claims(page).filter({ has: page.locator(`data[value="${expected.amount}"]`) });
  await claim.getByText('Trial paid').waitFor();
  await claim.getByText('Details', { exact: true }).click();
  // A button, until it is read.
  await claim.getByText('Where the numbers come from').click();
  const source = claim.locator('.source');
  await source.getByText(`Block ${stage.expected.blocks.ethereum}`).waitFor();
  await source.getByText(/^earned/).first().waitFor();
});

check('an account with nothing says so, and is not called partial', {}, async (page) => {
  await openAccount(page, nothing.address);
  for (const [name, sentence] of [
    ['Claimable', 'There is nothing to claim.'],
    ['Positions', 'There are no positions.'],
    ['Debts', 'There are no debts.'],
    ['Balances', 'The account holds no listed token.'],
  ]) await region(page, name).getByText(sentence).waitFor();
  assert.deepEqual(await values(region(page, 'Net worth')), ['0']);
  assert.equal(await region(page, 'What could not be read').count(), 0);
});

check('what could not be read is named where it belongs, with the reason', {}, async (page) => {
  await openAccount(page, odd.address);
  await shows(region(page, 'Claimable'), odd.claimables.map((/** @type {any} */ { amount }) => amount));
  for (const name of ['What could not be read', 'Positions']) {
    const part = region(page, name);
    await part.getByText(/QuickSwap on Polygon: .* may be missing\..*\((plugin-error|upstream)\)/).first().waitFor();
    await part.getByRole('button', { name: 'Try again' }).first().waitFor();
  }
  await region(page, 'Net worth').getByText('without what could not be read').waitFor();
});

check('the search finds an account, and says what is wrong with a text', {}, async (page) => {
  await page.goto('/');
  const box = page.getByRole('textbox', { name: 'Address, name or transaction' });
  await box.fill('0x1234');
  await box.press('Enter');
  await page.getByRole('alert').getByText('An address has 40 hex digits after 0x').waitFor();
  await box.fill(farmer.address);
  await page.getByRole('button', { name: 'Show' }).click();
  await region(page, 'Net worth').waitFor();
  await eventually(async () => assert.ok(page.url().endsWith(`#/account/${farmer.address}`), page.url()));
});

check('a problem is shown in the words of the gateway', { errors: [/^console: Failed to load resource: .* (4|5)\d\d /] }, async (page) => {
  await page.goto('/#/account/nobody.eth');
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
});
