// What a visitor of an account's page waits for: prints a line of JSON for each visit of `stage.expected.account`. The first
// visit is cold, the others have what the browser and the gateway hold from the one before.
import { WAIT_MS, launch } from './chromium.mjs';
import { stage } from './stage.mjs';

const { account, visits } = stage.expected;

/** Runs in the page: notes when the first row, and when the whole account was there. */
function clock() {
  /** @type {{ firstRowMs?: number, wholeMs?: number }} */
  const seen = (/** @type {any} */ (window).seen = {});
  const isReading = () => [...document.querySelectorAll('main [role=status]')].some((status) => status.textContent?.startsWith('Reading'));
  const look = () => {
    if (document.querySelector('main section li data')) seen.firstRowMs ??= performance.now();
    if (document.querySelector('main [aria-busy=false]') && !isReading()) seen.wholeMs ??= performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** Counts the bytes that arrive, of the page itself and of answers. */
async function counted(/** @type {import('playwright-core').Page} */ page) {
  const session = await page.context().newCDPSession(page);
  const bytes = { page: 0, answers: 0 };
  /** @type {Map<string, 'page' | 'answers'>} */
  const kinds = new Map();
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url);
    kinds.set(requestId, pathname === '/' || pathname.startsWith('/assets/') ? 'page' : 'answers');
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId);
    if (kind) bytes[kind] += encodedDataLength;
  });
  await session.send('Network.enable');
  return bytes;
}

const browser = await launch();
try {
  const context = await browser.newContext({ baseURL: stage.base, locale: 'en-US', viewport: { width: 1280, height: 900 } });
  for (let visit = 0; visit < visits; visit += 1) {
    const page = await context.newPage();
    const bytes = await counted(page);
    await page.addInitScript(clock);
    await page.goto(`/#/account/${account}`);
    const seen = await page.waitForFunction(() => /** @type {any} */ (window).seen.wholeMs && /** @type {any} */ (window).seen, null, { timeout: 2 * WAIT_MS });
    console.log(JSON.stringify({ ...(await seen.jsonValue()), pageBytes: bytes.page, answerBytes: bytes.answers }));
    await page.close();
  }
} finally {
  await browser.close();
}
