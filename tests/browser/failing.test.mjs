// A network that fails, and answers again.
import { writeFileSync } from 'node:fs';
import { openAccount } from './account.mjs';
import { check, eventually } from './check.mjs';
import { region, shows } from './page.mjs';
import { stage } from './stage.mjs';

const { account, heal } = stage.expected;
const amounts = (/** @type {(network: string) => boolean} */ isWanted) =>
  account.claimables.filter((/** @type {any} */ { network }) => isWanted(network)).map((/** @type {any} */ { amount }) => amount);

// Browsers log each answer that is a problem.
const errors = [/^console: Failed to load resource: .* 502 .*&network=fantom/];

check('a network that fails is named until another try reads it', { errors }, async (page) => {
  await openAccount(page, account.address);
  const [claimable, gaps] = [region(page, 'Claimable'), region(page, 'What could not be read')];
  await shows(claimable, amounts((network) => network !== 'FANTOM'));
  await gaps.getByText(/on Fantom: .* may be missing\..*\((upstream|timeout)\)/).first().waitFor();
  await region(page, 'Net worth').getByText('without what could not be read').waitFor();
  writeFileSync(heal, '');
  const failed = gaps.getByText(/ on Fantom: /);
  await eventually(async () => {
    const again = gaps.getByRole('button', { name: 'Try again' });
    if ((await again.count()) > 0) await again.first().click();
    if ((await failed.count()) > 0) throw new Error(await gaps.innerText());
  });
  await shows(claimable, amounts(() => true));
  // No try reads what has no node.
  await gaps.getByText('This gateway has no nodes of Polygon.').waitFor();
});
