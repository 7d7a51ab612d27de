// What no page may do: request something of another origin but pictures, break its own content security policy, throw, or
// write an error to the console.
/** @typedef {import('playwright-core').Page} Page */

export class Watch {
  /** @type {string[]} */
  #found = [];
  /** @type {Set<string>} */
  #pictures = new Set();
  #page;
  #origin;

  /**
   * @param {Page} page
   * @param {string} origin
   */
  constructor(page, origin) {
    this.#page = page;
    this.#origin = origin;
  }

  /**
   * Watches a page from its first request on.
   * @param {Page} page
   * @param {string} origin
   */
  static async of(page, origin) {
    const watch = new Watch(page, origin);
    page.on('pageerror', (error) => watch.#found.push(`thrown: ${error.message}`));
    page.on('websocket', (socket) => watch.#found.push(`socket: ${socket.url()}`));
    page.on('console', (message) => watch.#logged(message));
    await page.exposeFunction('reportViolation', (/** @type {string} */ text) => watch.#found.push(`policy: ${text}`));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
        /** @type {any} */ (window).reportViolation(`${violatedDirective} ${blockedURI} in ${sourceFile}`);
      });
    });
    await page.route((url) => url.origin !== origin && url.protocol !== 'data:', (route) => watch.#left(route));
    return watch;
  }

  /**
   * All that was found so far, without the errors that a check causes.
   * @param {RegExp[]} expected
   */
  async faults(expected) {
    // A round trip through the page: what it reported before has arrived.
    await this.#page.evaluate(() => true);
    return this.#found.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
  }

  /** @param {import('playwright-core').Route} route */
  async #left(route) {
    const request = route.request();
    const { protocol } = new URL(request.url());
    // Logos of tokens are wherever their lists say. None is there: what is shown must do without.
    if (request.resourceType() === 'image' && protocol === 'https:') this.#pictures.add(request.url());
    else this.#found.push(`request: ${request.resourceType()} ${request.url()}`);
    if (request.headers().referer) this.#found.push(`referrer: ${request.headers().referer} to ${request.url()}`);
    await route.abort();
  }

  /** @param {import('playwright-core').ConsoleMessage} message */
  #logged(message) {
    const { url } = message.location();
    if (message.type() !== 'error' || this.#pictures.has(url)) return;
    this.#found.push(`console: ${message.text()} (${url.replace(this.#origin, '')})`);
  }
}
