// What a wallet signs: claims, by mouse and by keyboard, and plans, as transactions and as calls. What the account has more
// afterwards is what the arithmetic says that it was owed.
import assert from 'node:assert/strict';
import { claims, openAccount } from './account.mjs';
import { check } from './check.mjs';
import { press } from './keyboard.mjs';
import { Ledger } from './ledger.mjs';
import { region, shows } from './page.mjs';
import { stage } from './stage.mjs';
import { Wallet } from './wallet.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./ledger.mjs').Owed} Owed */

const { account, other } = stage.expected;
const nodes = Object.fromEntries(stage.nodes.map(({ chainId, url }) => [chainId, url]));
const [ethereum, polygon] = ['ethereum', 'polygon'].map((network) => new Ledger(network));
const wallet = (/** @type {object} */ options = {}) => new Wallet({ account: account.address, nodes, ...options });

/** The claim's row. */
const row = (/** @type {Page} */ page, /** @type {Owed} */ { amounts }) => claims(page).filter({ has: page.locator(`data[value="${amounts[0]}"]`) });
const dialog = (/** @type {Page} */ page, /** @type {string} */ name) => page.getByRole('dialog', { name });

async function connect(/** @type {Page} */ page, /** @type {Wallet} */ { name }) {
  await page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).click();
  await dialog(page, 'Connect a wallet').getByRole('button', { name }).click();
  await page.getByRole('banner').getByRole('button', { name: 'Disconnect' }).waitFor();
}

/** Waits until the page no longer shows the claims, and closes what is open. */
async function isGone(/** @type {Page} */ page, /** @type {Owed} */ claim) {
  await row(page, claim).waitFor({ state: 'detached' });
}

const refusing = wallet({ name: 'Refusing Wallet', refuses: ['eth_sendTransaction', 'wallet_sendCalls'] });
check('a wallet that refuses is not asked again, and nothing is sent', { wallets: [refusing] }, async (page) => {
  await ethereum.pays([], async () => {
    await openAccount(page, account.address);
    await connect(page, refusing);
    await row(page, ethereum.left[0]).getByRole('button', { name: 'Claim', exact: true }).click();
    await page.getByRole('button', { name: 'Send with Refusing Wallet' }).click();
    await dialog(page, 'Review the claim').getByRole('alert').getByText('You refused it').waitFor();
  });
  assert.equal(refusing.of('eth_sendTransaction').length, 1);
});

const foreign = wallet();
check('a wallet cannot send the claim of another account', { wallets: [foreign] }, async (page) => {
  await openAccount(page, other);
  await connect(page, foreign);
  await claims(page).getByRole('button', { name: 'Claim', exact: true }).first().click();
  await dialog(page, 'Review the claim').getByText('Choose that account in your wallet.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Send with/ }).count(), 0);
});

const own = wallet();
check('a claim pays what the page says', { wallets: [own] }, async (page) => {
  const [claim] = ethereum.left;
  await openAccount(page, account.address);
  await connect(page, own);
  await ethereum.pays([claim], async () => {
    await row(page, claim).getByRole('button', { name: 'Claim', exact: true }).click();
    const review = dialog(page, 'Review the claim');
    // What the wallet will show: the function, its arguments and the contract, as text.
    await review.getByText(claim.function, { exact: true }).waitFor();
    await review.getByText(new RegExp(claim.to, 'i')).first().waitFor();
    await review.getByRole('button', { name: 'Send with Test Wallet' }).click();
    await review.getByText('It is mined.').waitFor();
    await review.getByText('What came:').waitFor();
    await shows(review.locator('.came'), claim.amounts);
    await review.getByRole('button', { name: 'Close' }).click();
  });
  const [[sent]] = own.of('eth_sendTransaction');
  assert.deepEqual([sent.to, sent.data, BigInt(sent.value ?? 0)], [claim.to, claim.data, 0n]);
  await isGone(page, claim);
});

const pressed = wallet();
check('a claim needs no mouse', { wallets: [pressed] }, async (page) => {
  const [claim] = ethereum.left;
  await openAccount(page, account.address);
  await ethereum.pays([claim], async () => {
    await press(page, page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }));
    await press(page, dialog(page, 'Connect a wallet').getByRole('button', { name: 'Test Wallet' }));
    await page.getByRole('banner').getByRole('button', { name: 'Disconnect' }).waitFor();
    await press(page, row(page, claim).getByRole('button', { name: 'Claim', exact: true }));
    const review = dialog(page, 'Review the claim');
    await press(page, review.getByRole('button', { name: 'Send with Test Wallet' }));
    await review.getByText('It is mined.').waitFor();
    await page.keyboard.press('Escape');
    await review.waitFor({ state: 'detached' });
  });
  await isGone(page, claim);
});

const old = wallet({ name: 'Old Wallet', sendsCalls: false });
check('a wallet without calls sends a plan one by one', { wallets: [old] }, async (page) => {
  await plan(page, old, ethereum, 'Ethereum');
  assert.ok(old.of('eth_sendTransaction').length > 1);
});

const modern = wallet();
check('a plan is one request where the wallet takes calls', { wallets: [modern] }, async (page) => {
  await plan(page, modern, polygon, 'Polygon');
  assert.equal(modern.of('wallet_sendCalls').length, 1);
  assert.equal(modern.of('eth_sendTransaction').length, 0);
});

/** Claims all that is left on a network. */
async function plan(/** @type {Page} */ page, /** @type {Wallet} */ signer, /** @type {Ledger} */ ledger, /** @type {string} */ name) {
  await openAccount(page, account.address);
  await connect(page, signer);
  const { left } = ledger;
  await ledger.pays(left, async () => {
    await region(page, 'Claimable').getByRole('button', { name: `Claim all on ${name}` }).click();
    await page.getByRole('heading', { name: `Claim all on ${name}`, level: 1 }).waitFor();
    await shows(region(page, 'It pays'), ledger.amounts(left));
    await page.getByRole('button', { name: `Send with ${signer.name}` }).click();
    await page.getByText(left.length === 1 ? 'It is mined.' : `${left.length} transactions are mined.`).waitFor();
    await shows(region(page, 'Send it'), ledger.amounts(left));
  });
  // The watch brings the block in which they were paid, if the first answer is of an earlier one.
  await openAccount(page, account.address);
  await region(page, 'Claimable').getByRole('heading', { name, level: 3 }).waitFor({ state: 'detached' });
}
