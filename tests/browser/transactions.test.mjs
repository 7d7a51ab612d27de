// A transaction in words: what came in, what went out, and each event.
import { check } from './check.mjs';
import { region, shows } from './page.mjs';
import { stage } from './stage.mjs';

const { account, gave, got, hash, network } = stage.expected.transaction;

check('a transaction says what went out and what came in', {}, async (page) => {
  await page.goto(`/#/tx/${network}/${hash}`);
  await page.getByRole('heading', { name: 'Transaction', level: 1 }).waitFor();
  await page.getByText(new RegExp(`^Swapped .*${gave.symbol}.*${got.symbol}.*QuickSwap$`)).waitFor();
  await shows(region(page, 'Sent'), [gave.amount]);
  await shows(region(page, 'Received'), [got.amount]);
  await shows(region(page, 'Events'), [gave.amount, got.amount, gave.amount, got.amount]);
});

check('the search finds a transaction by its hash alone', { errors: [/^console: Failed to load resource: .* (404|503) /] }, async (page) => {
  await page.goto('/');
  const box = page.getByRole('textbox', { name: 'Address, name or transaction' }).first();
  await box.fill(hash);
  await box.press('Enter');
  await shows(region(page, 'Sent'), [gave.amount]);
});

check('another account sees its own side of it', {}, async (page) => {
  await page.goto(`/#/tx/${network}/${hash}`);
  await region(page, 'Sent').waitFor();
  const accounts = page.getByRole('combobox', { name: 'As seen by' });
  await accounts.fill(stage.expected.accounts.nothing.address);
  await page.getByRole('main').getByRole('button', { name: 'Show' }).click();
  await region(page, 'Sent').getByText('Nothing went out.').waitFor();
  await accounts.fill(account);
  await page.getByRole('main').getByRole('button', { name: 'Show' }).click();
  await shows(region(page, 'Sent'), [gave.amount]);
});
