// Which published lists there are, and which of them may stand in this repository.

// Networks of the shipped list; testnets are left out.
export const CHAIN_IDS = [1, 10, 56, 137, 250, 8453, 42161, 43114];

// Licences that the project's own (MIT or Apache-2.0) can carry. A list under another one is counted, not written.
export const CARRIED = ['MIT'];

// In the order in which they win where two name one token. `licence` is that of the LICENSE file in the package.
export const SOURCES = [
  { name: '@uniswap/default-token-list', file: 'build/uniswap-default.tokenlist.json', licence: 'GPL-3.0-or-later' },
  { name: '@sushiswap/default-token-list', file: 'build/sushiswap-default.tokenlist.json', licence: 'MIT' },
  { name: 'quickswap-default-token-list', file: 'build/quickswap-default.tokenlist.json', licence: 'GPL-3.0-or-later' },
];
