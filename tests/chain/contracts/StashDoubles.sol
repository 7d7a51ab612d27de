// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for Votium's stash of many Merkle roots, which no package holds; views and claims are those of the real one. Its
// owner is left out: anyone sets a root.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

// Pays each leaf of a token's root once. A new root begins with no claims; without a root nothing is paid.
contract MerkleStashDouble {
    struct claimParam {
        address token;
        uint256 index;
        uint256 amount;
        bytes32[] merkleProof;
    }

    mapping(address => bytes32) public merkleRoot;
    mapping(address => uint256) public update;
    mapping(bytes32 => bool) private paid;

    function updateMerkleRoot(address token, bytes32 root) external {
        update[token]++;
        merkleRoot[token] = root;
    }

    function isClaimed(address token, uint256 index) public view returns (bool) {
        return paid[place(token, index)];
    }

    function claim(address token, uint256 index, address account, uint256 amount, bytes32[] calldata merkleProof) public {
        require(merkleRoot[token] != 0, "frozen");
        require(!isClaimed(token, index), "Drop already claimed.");
        bytes32 node = keccak256(abi.encodePacked(index, account, amount));
        for (uint256 i = 0; i < merkleProof.length; i++) {
            bytes32 beside = merkleProof[i];
            node = node < beside ? keccak256(abi.encode(node, beside)) : keccak256(abi.encode(beside, node));
        }
        require(node == merkleRoot[token], "Invalid proof.");
        paid[place(token, index)] = true;
        TokenDouble(token).transfer(account, amount);
    }

    function claimMulti(address account, claimParam[] calldata claims) external {
        for (uint256 i = 0; i < claims.length; i++) {
            claim(claims[i].token, claims[i].index, account, claims[i].amount, claims[i].merkleProof);
        }
    }

    function place(address token, uint256 index) private view returns (bytes32) {
        return keccak256(abi.encode(token, update[token], index));
    }
}
