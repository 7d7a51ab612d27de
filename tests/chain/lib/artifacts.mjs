// Creation code and ABIs: of the real contracts from their packages, of the doubles
// from `contracts/`, compiled here.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import solc from 'solc';
import { multicall3Bytecode } from '../node_modules/viem/_esm/constants/contracts.js';

const require = createRequire(import.meta.url);

export const artifacts = {
  Multicall3: { abi: [], bytecode: multicall3Bytecode },
  UniswapV2Factory: packaged('@uniswap/v2-core/build/UniswapV2Factory.json'),
  UniswapV2Pair: packaged('@uniswap/v2-core/build/UniswapV2Pair.json'),
  WETH9: packaged('@uniswap/v2-periphery/build/WETH9.json'),
  StakingRewardsFactory: packaged('@uniswap/liquidity-staker/build/StakingRewardsFactory.json'),
  StakingRewards: packaged('@uniswap/liquidity-staker/build/StakingRewards.json'),
  ...compiled(new URL('../contracts/', import.meta.url)),
};

function packaged(path) {
  const { abi, bytecode } = require(path);
  return { abi, bytecode: bytecode.startsWith('0x') ? bytecode : `0x${bytecode}` };
}

function compiled(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sol')).sort();
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((name) => [name, { content: readFileSync(new URL(name, folder), 'utf8') }])),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((e) => e.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.values(output.contracts).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }])),
  );
}
