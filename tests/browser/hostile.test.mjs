// Tokens whose names attack the page, lookalikes, and claims that do other than they say.
import assert from 'node:assert/strict';
import { claims, openAccount } from './account.mjs';
import { check, PHONE } from './check.mjs';
import { region, shows } from './page.mjs';
import { stage } from './stage.mjs';

const { address, tokens } = stage.expected;

// Control, direction and invisible characters; isolates may stand around a name.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u200b-\u200f\u202a-\u202e\u2060-\u2065\ufeff]/u;
/** The beginning of a name, as the page may show it: what cannot be seen is gone. */
const seen = (/** @type {string} */ words) => words.replace(/[\p{Cf}\p{Cc}]/gu, '').slice(0, 12);

for (const width of [PHONE, 1280]) {
  check(`names of tokens are text at ${width} pixels`, { width }, async (page) => {
    await openAccount(page, address);
    await shows(region(page, 'Claimable'), []);
    for (const { symbol, isLookalike } of tokens) {
      const claim = claims(page).filter({ has: page.getByRole('list', { name: 'Pays' }).filter({ hasText: seen(symbol) }) }).first();
      await claim.getByText(isLookalike ? 'Lookalike' : /^(Unlisted|Same name)$/).first().waitFor();
    }
    const text = await page.locator('body').innerText();
    assert.ok(!UNSEEN.test(text), `there is ${JSON.stringify(UNSEEN.exec(text)?.[0])}`);
    assert.ok(!(await page.title()).includes('owned'));
    assert.equal(await page.locator('main b, main script, main img[src=x]').count(), 0, 'markup of a name');
    const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= screen, `the page is ${wide} pixels wide on a screen of ${screen}`);
  });
}

check('a claim that does other than it says gives its reason, and what is refused cannot be sent', {}, async (page) => {
  await openAccount(page, address);
  await shows(region(page, 'Claimable'), []);
  const claim = (/** @type {string} */ verdict) => claims(page).filter({ has: page.getByText(verdict, { exact: true }) });
  await claim('Pays otherwise').getByText(/^It pays 0 of 0x/).waitFor();
  await claim('Fails').getByText(/nothing is left/).first().waitFor();
  await claim('Refused').getByText(/^It changes the allowance of 0x/).waitFor();
  const buttons = async (/** @type {string} */ verdict) => claim(verdict).getByRole('button', { name: 'Claim', exact: true }).count();
  assert.deepEqual([await buttons('Pays otherwise'), await buttons('Fails'), await buttons('Refused')], [1, 0, 0]);
});
