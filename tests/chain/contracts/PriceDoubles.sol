// SPDX-License-Identifier: MIT OR Apache-2.0
// What prices come from: oracles with Chainlink's interface, and a vault with that of ERC-4626.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

// Returns for ever what it was made with.
contract AggregatorDouble {
    uint80 private constant ROUND = 17;
    uint8 public decimals;
    int256 private answer;
    uint256 private updatedAt;

    constructor(int256 answer_, uint8 decimals_, uint256 updatedAt_) {
        answer = answer_;
        decimals = decimals_;
        updatedAt = updatedAt_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (ROUND, answer, updatedAt, updatedAt, ROUND);
    }
}

contract RevertingAggregatorDouble {
    uint8 public constant decimals = 8;

    function latestRoundData() external pure returns (uint80, int256, uint256, uint256, uint80) {
        revert("no data present");
    }
}

// As Chainlink's uptime feed: 0 while the sequencer runs, and since when.
contract SequencerDouble {
    function latestRoundData() external pure returns (uint80, int256, uint256, uint256, uint80) {
        return (1, 0, 1, 1, 1);
    }
}

// A vault whose assets grow when somebody gives it some.
contract VaultDouble is TokenDouble {
    TokenCore public asset;

    constructor(TokenCore asset_, string memory name_, string memory symbol_) TokenDouble(name_, symbol_, 18) {
        asset = asset_;
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    // ERC-4626 has it round down.
    function convertToAssets(uint256 shares) public view returns (uint256) {
        return totalSupply == 0 ? 0 : (shares * totalAssets()) / totalSupply;
    }

    function previewRedeem(uint256 shares) external view returns (uint256) {
        return convertToAssets(shares);
    }
}
