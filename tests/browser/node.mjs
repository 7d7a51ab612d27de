// Requests to the nodes of the test chains.

const ANSWER_MS = 10_000;

/**
 * One JSON-RPC call. An error of the node is thrown with its code.
 * @param {string} url
 * @param {string} method
 * @param {unknown[]} [params]
 * @returns {Promise<any>}
 */
export async function nodeRequest(url, method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(ANSWER_MS) });
  const { result, error } = await response.json();
  if (error) throw Object.assign(new Error(`${method}: ${error.message}`), { code: error.code });
  return result;
}

/**
 * `balanceOf(account)` of a token in the newest block, raw.
 * @param {string} url
 * @param {string} token
 * @param {string} account
 */
export async function tokenBalance(url, token, account) {
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`;
  return BigInt(await nodeRequest(url, 'eth_call', [{ to: token, data }, 'latest']));
}
