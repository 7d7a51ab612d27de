// The part of the wallet double that runs in the page.

// A grey square.
export const ICON = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="gray"/></svg>';

/**
 * Announces a provider as EIP-6963 has it, whose requests (EIP-1193) the test answers through a binding of the window.
 * Playwright hands the source of this function to the page, so it uses nothing of this file.
 * @param {{ uuid: string, name: string, binding: string, icon: string }} wallet
 */
export function announce({ uuid, name, binding, icon }) {
  /** @type {Map<string, Set<(value: unknown) => void>>} */
  const listeners = new Map();
  const emit = (/** @type {string} */ event, /** @type {unknown} */ value) => listeners.get(event)?.forEach((listener) => listener(value));
  const provider = {
    /** @param {{ method: string, params?: unknown }} asked */
    async request({ method, params }) {
      const { result, error, chainId } = await /** @type {any} */ (window)[binding]({ method, params });
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      if (chainId) emit('chainChanged', chainId);
      if (method === 'eth_requestAccounts') emit('accountsChanged', result);
      return result;
    },
    on(/** @type {string} */ event, /** @type {(value: unknown) => void} */ listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      return provider;
    },
    removeListener(/** @type {string} */ event, /** @type {(value: unknown) => void} */ listener) {
      listeners.get(event)?.delete(listener);
      return provider;
    },
  };
  const info = Object.freeze({ uuid, name, icon, rdns: 'test.portolan.wallet' });
  const detail = Object.freeze({ info, provider });
  const tell = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  addEventListener('eip6963:requestProvider', tell);
  tell();
}
