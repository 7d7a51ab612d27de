// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// One of the contracts that a protocol names one after the other; the last one returns what an account has earned.
contract Rung {
    address public next;                        // slot 0
    address private reward;                     // slot 1
    mapping(address => uint256) private earned; // slot 2

    function due(address account) external view returns (address token, uint256 amount) {
        return (reward, earned[account]);
    }

    function claim() external {
        earned[msg.sender] = 0;
    }
}
