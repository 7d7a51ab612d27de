// node programs.mjs FILE.yul [SOLJSON]: prints the code of the reader's program in hex, which is kept beside it:
//   node programs.mjs ../../host/reader/src/methods/packed/call.yul > ../../host/reader/src/methods/packed/call.hex
// SOLJSON is the compiler's one file; without it, the installed package's.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(import.meta.url);
const [source, compiler] = process.argv.slice(2);
if (!source) {
  console.error('usage: node programs.mjs FILE.yul [SOLJSON]');
  process.exit(2);
}
const solc = require(compiler ? resolve(compiler) : 'solc/soljson.js');
const compile = solc.cwrap('solidity_compile', 'string', ['string', 'number', 'number']);
const input = {
  language: 'Yul',
  sources: { program: { content: readFileSync(source, 'utf8') } },
  settings: {
    evmVersion: 'paris', // No PUSH0: some networks do not have it.
    // For size: the code travels with every request. The default steps of the Yul optimizer make it larger and its
    // loops slower, for they keep more values on the stack.
    optimizer: { enabled: true, runs: 1, details: { yul: true, yulDetails: { optimizerSteps: ':c' } } },
    outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
  },
};
const { errors = [], contracts } = JSON.parse(compile(JSON.stringify(input), 0, 0));
errors.forEach(({ formattedMessage }) => console.error(formattedMessage));
if (!contracts) process.exit(1);
const [{ evm }] = Object.values(contracts.program);
process.stdout.write(evm.bytecode.object);
