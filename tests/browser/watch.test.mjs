// The watch and the judge of accessibility find what they are there for: a page that does everything wrong.
import assert from 'node:assert/strict';
import { assertAccessible } from './axe.mjs';
import { check, eventually } from './check.mjs';
import { stage } from './stage.mjs';

const POLICY = "default-src 'none'; script-src 'self'; connect-src http:; img-src https: data:";
const PAGE = `<!doctype html><title>wrong</title><script>1</script><script src="/wrong.js"></script>
<img src="https://logos.example/a.png"><p style="color:red">low</p>`;
const SCRIPT = `fetch('http://elsewhere.example/').catch(() => {}); console.error('wrong'); throw new Error('worse');`;

const WRONG = [
  /^policy: script-src-elem inline/,
  /^policy: style-src-attr inline/,
  /^request: fetch http:\/\/elsewhere\.example\/$/,
  /^referrer: \S+ to https:\/\/logos\.example/,
  /^console: wrong/,
  /^thrown: worse/,
];

check('the watch finds each thing that no page may do', { errors: [/./] }, async (page, watch) => {
  const answer = (/** @type {string} */ contentType, /** @type {string} */ body) => ({ contentType, body, headers: { 'content-security-policy': POLICY } });
  await page.route(`${stage.base}/`, (route) => route.fulfill(answer('text/html', PAGE)));
  await page.route(`${stage.base}/wrong.js`, (route) => route.fulfill(answer('text/javascript', SCRIPT)));
  await page.goto('/');
  await eventually(async () => {
    const faults = await watch.faults([]);
    for (const pattern of WRONG) assert.ok(faults.some((fault) => pattern.test(fault)), `${pattern} is not in ${faults.join('\n')}`);
    assert.ok(!faults.some((fault) => /^(request: image|console: Failed .*logos)/.test(fault)), 'a logo that fails is no fault');
  });
  await assert.rejects(assertAccessible(page), /image-alt/);
});
