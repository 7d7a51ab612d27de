// The operators' page, on the operators' listener.
import assert from 'node:assert/strict';
import { check } from './check.mjs';
import { region } from './page.mjs';
import { look } from './pictures.mjs';
import { stage } from './stage.mjs';

const { plugins, blocks } = stage.expected;

check('operators see plugins, endpoints, lists and the last hour', { origin: stage.operators }, async (page) => {
  await page.goto('/');
  await page.getByRole('heading', { name: 'Operators', level: 1 }).waitFor();
  for (const name of plugins) await region(page, 'Plugins').first().getByText(name, { exact: true }).first().waitFor();
  for (const network of Object.keys(blocks)) await region(page, 'Endpoints').first().getByText(new RegExp(`^${network}$`, 'i')).first().waitFor();
  await region(page, 'Token lists').first().waitFor();
  await region(page, 'Last hour').first().waitFor();
  await look(page, 'operators');
});

check('operators with a token see nothing before they enter it', { origin: stage.expected.guarded.operators, errors: [/^console: Failed to load resource: .* 401 /] }, async (page) => {
  const { token } = stage.expected.guarded;
  await page.goto('/');
  const box = page.getByLabel("Operators' token");
  await box.waitFor();
  assert.equal(await region(page, 'Plugins').count(), 0);
  await box.fill('wrong');
  await box.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await box.fill(token);
  await box.press('Enter');
  await region(page, 'Plugins').first().waitFor();
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
  assert.ok(!stored.includes(token), 'the token is held in memory alone');
});
