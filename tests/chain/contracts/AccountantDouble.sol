// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for the accountant of a vault in the manner of Veda's, which no package holds: whoever runs the vault publishes what
// a whole share is worth in the base token, and a pause stops only the view that says so safely.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

contract AccountantDouble {
    TokenDouble public immutable vault;
    TokenDouble public immutable base;
    uint8 public immutable decimals;
    uint256 public getRate;
    bool private paused;

    constructor(TokenDouble vault_, TokenDouble base_) {
        (vault, base, decimals) = (vault_, base_, base_.decimals());
        getRate = 10 ** decimals;
    }

    function updateExchangeRate(uint256 rate) external {
        getRate = rate;
    }

    function pause() external {
        paused = true;
    }

    function getRateSafe() external view returns (uint256) {
        require(!paused, "paused");
        return getRate;
    }
}
