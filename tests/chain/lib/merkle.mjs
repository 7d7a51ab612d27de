// Merkle trees of sorted pairs: over (index, account, amount), as Uniswap's MerkleDistributor has them, and over (account,
// token, amount), as Merkl's does.
import { concat, encodeAbiParameters, encodePacked, keccak256 } from 'viem';

// Rows: [account, amount]. The root, and each account's document as a server has it.
export function airdrop(rows) {
  const leaves = rows.map(([account, amount], index) => keccak256(encodePacked(['uint256', 'address', 'uint256'], [BigInt(index), account, amount])));
  const levels = levelsOf(leaves);
  const documents = rows.map(([account, amount], index) => [account, { index, amount: `0x${amount.toString(16)}`, proof: proof(levels, index) }]);
  return { root: levels.at(-1)[0], documents: Object.fromEntries(documents) };
}

// Rows: [account, token, amount]. The root, and each row with its proof.
export function rewards(rows) {
  const kinds = [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }];
  const levels = levelsOf(rows.map((row) => keccak256(encodeAbiParameters(kinds, row))));
  return { root: levels.at(-1)[0], rows: rows.map(([account, token, amount], index) => ({ account, token, amount, proof: proof(levels, index) })) };
}

function levelsOf(leaves) {
  const levels = [leaves];
  while (levels.at(-1).length > 1) levels.push(above(levels.at(-1)));
  return levels;
}

// A node without a neighbour goes up as it is.
function above(nodes) {
  return nodes.flatMap((node, i) => (i % 2 ? [] : i + 1 < nodes.length ? [keccak256(concat([node, nodes[i + 1]].sort()))] : [node]));
}

function proof(levels, index) {
  return levels.slice(0, -1).flatMap((nodes, level) => nodes[(index >> level) ^ 1] ?? []);
}
