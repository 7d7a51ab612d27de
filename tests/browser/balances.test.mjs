// Balances of listed tokens, of which some answer nobody.
import { openAccount } from './account.mjs';
import { check } from './check.mjs';
import { region, shows } from './page.mjs';
import { stage } from './stage.mjs';

const { address, balances, unreadable } = stage.expected;

check('balances have each amount, and say how many tokens could not be read', {}, async (page) => {
  await openAccount(page, address);
  const part = region(page, 'Balances').first();
  await shows(part, balances.map((/** @type {any} */ { amount }) => amount));
  const gaps = region(page, 'What could not be read');
  for (const { network, count } of unreadable) await gaps.getByText(`${count} tokens on ${network}: `).waitFor();
});
