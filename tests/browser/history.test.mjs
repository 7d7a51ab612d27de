// Net worth over days: each point is read at the last block of its time, and a point that cannot be read is missing.
import assert from 'node:assert/strict';
import { figure, openAccount } from './account.mjs';
import { check, eventually } from './check.mjs';
import { assertDollars } from './page.mjs';
import { stage } from './stage.mjs';

const { accounts, blocks, snapshotAt } = stage.expected;
const DAY_MS = 86_400_000;

check('a point is the net worth at its block, and a time before the chain is missing', { errors: [/^console: Failed to load resource: .* [45]\d\d .*block=/] }, async (page) => {
  // Half of the seven days are before the chains' snapshot, whose states nodes do not have.
  await page.clock.setFixedTime(snapshotAt * 1000 + 3.5 * DAY_MS);
  await openAccount(page, accounts.farmer.address);
  const parts = await Promise.all(['In the wallet', 'In protocols', 'Owed'].map((name) => figure(page, name)));
  const net = String(parts.reduce((sum, part) => sum + Number(part), 0));
  await page.getByRole('link', { name: 'Over time' }).click();
  await page.getByRole('radio', { name: '7 days' }).check();
  await page.getByRole('status').filter({ hasText: /^\d+ (of \d+ )?points were read\.$/ }).waitFor();
  const rows = page.getByRole('row').filter({ has: page.getByRole('time') });
  await eventually(async () => assert.ok((await rows.count()) >= 7));
  const cells = await rows.evaluateAll((all) => all.map((row) => ({ text: row.textContent ?? '', value: row.querySelector('data')?.value })));
  const read = cells.filter(({ value }) => value !== undefined);
  for (const { value, text } of read) {
    assertDollars(value ?? '', net);
    assert.ok(text.includes(`ethereum ${blocks.ethereum}`), text);
  }
  assert.ok(read.length >= 3 && cells.length - read.length >= 3, JSON.stringify(cells));
});
