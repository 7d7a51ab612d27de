// Merkle trees of sorted pairs over (index, account, amount), as Uniswap's MerkleDistributor has them.
import { concat, encodePacked, keccak256 } from 'viem';

// Rows: [account, amount]. The root, and each account's document as a server has it.
export function airdrop(rows) {
  const leaves = rows.map(([account, amount], index) => keccak256(encodePacked(['uint256', 'address', 'uint256'], [BigInt(index), account, amount])));
  const levels = [leaves];
  while (levels.at(-1).length > 1) levels.push(above(levels.at(-1)));
  const documents = rows.map(([account, amount], index) => [account, { index, amount: `0x${amount.toString(16)}`, proof: proof(levels, index) }]);
  return { root: levels.at(-1)[0], documents: Object.fromEntries(documents) };
}

// A node without a neighbour goes up as it is.
function above(nodes) {
  return nodes.flatMap((node, i) => (i % 2 ? [] : i + 1 < nodes.length ? [keccak256(concat([node, nodes[i + 1]].sort()))] : [node]));
}

function proof(levels, index) {
  return levels.slice(0, -1).flatMap((nodes, level) => nodes[(index >> level) ^ 1] ?? []);
}
