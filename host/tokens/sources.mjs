// Which published lists there are, and which of them may stand in this repository.

// Networks of the shipped list; testnets are left out.
export const CHAIN_IDS = [
  1, 10, 56, 100, 130, 137, 146, 250, 324, 480, 5000, 8453, 42161, 42220, 43114, 57073, 59144, 80094, 81457, 534352,
];

// Licences that the project's own (MIT or Apache-2.0) can carry. A list under another one is counted, not written.
export const CARRIED = ['MIT'];

// In the order in which they win where two name one token. `licence` is that of the LICENSE file in the package.
export const SOURCES = [
  { name: '@uniswap/default-token-list', file: 'build/uniswap-default.tokenlist.json', licence: 'GPL-3.0-or-later' },
  { name: '@sushiswap/default-token-list', file: 'build/sushiswap-default.tokenlist.json', licence: 'MIT' },
  { name: 'quickswap-default-token-list', file: 'build/quickswap-default.tokenlist.json', licence: 'GPL-3.0-or-later' },
];

// Rows of these lists that are wrong: the contract at the address is the token's on another network, and not on this one.
export const WRONG = [
  '1\t0x93b346b6bc2548da6a1e7d98e9a421b42541425b', // LUSD: Arbitrum's
  '42161\t0x73700aecfc4621e112304b6edc5ba9e36d7743d3', // lqETH: Ethereum's
];

// Rows that are no tokens: the native token under its second address, as plugin-api/networks/src/native.rs has it.
export const NATIVE = [
  '10\t0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000', // ETH
  '137\t0x0000000000000000000000000000000000001010', // POL
  '8453\t0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000', // ETH
  '42220\t0x471ece3750da237f93b8e339c536989b8978a438', // CELO
];

// Where logos are taken from: the repositories of the lists themselves, of which one can look up what is there. Those that
// are not are in gone_logos.txt.
export const LOGO_REPOSITORIES = [
  'https://raw.githubusercontent.com/sushiswap/list/master/',
  'https://raw.githubusercontent.com/sushiswap/assets/master/',
];
