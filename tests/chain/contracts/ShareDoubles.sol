// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for Curve's registry of pools, whose bytecode no package holds: what it knows is named to it, what it answers it
// reads from the pools. And a pool that anyone can register with Balancer's vault: its shares are its own word.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

interface IOldCurvePool {
    function coins(int128 index) external view returns (address);
    function balances(int128 index) external view returns (uint256);
}

contract MetaRegistryDouble {
    mapping(address => address) internal shareOf;
    mapping(address => address) public get_pool_from_lp_token;
    mapping(address => uint256) internal coinsOf;
    address[] public pool_list;

    function add(address pool, address share, uint256 coins) external {
        (shareOf[pool], get_pool_from_lp_token[share], coinsOf[pool]) = (share, pool, coins);
        pool_list.push(pool);
    }

    // It is its own handler of the only generation.
    function registry_length() external pure returns (uint256) {
        return 1;
    }

    function get_registry(uint256 index) external view returns (address) {
        return index == 0 ? address(this) : address(0);
    }

    function pool_count() external view returns (uint256) {
        return pool_list.length;
    }

    function get_lp_token(address pool) public view returns (address share) {
        share = shareOf[pool];
        require(share != address(0), "no registry");
    }

    function get_coins(address pool) external view returns (address[8] memory coins) {
        get_lp_token(pool);
        for (uint256 i = 0; i < coinsOf[pool]; i++) coins[i] = IOldCurvePool(pool).coins(int128(uint128(i)));
    }

    function get_balances(address pool) external view returns (uint256[8] memory balances) {
        get_lp_token(pool);
        for (uint256 i = 0; i < coinsOf[pool]; i++) balances[i] = IOldCurvePool(pool).balances(int128(uint128(i)));
    }
}

interface IPoolRegistrar {
    function registerPool(uint8 specialization) external returns (bytes32);
    function registerTokens(bytes32 id, address[] calldata tokens, address[] calldata managers) external;
}

contract UnknownPoolDouble is TokenDouble {
    bytes32 public getPoolId;

    constructor(IPoolRegistrar vault, address[] memory tokens) TokenDouble("Unknown", "UNK", 18) {
        getPoolId = vault.registerPool(0);
        vault.registerTokens(getPoolId, tokens, new address[](tokens.length));
    }

    // Takes whatever it is given.
    function onJoinPool(
        bytes32, address, address, uint256[] calldata balances, uint256, uint256, bytes calldata amounts
    ) external pure returns (uint256[] memory, uint256[] memory) {
        return (abi.decode(amounts, (uint256[])), new uint256[](balances.length));
    }
}
