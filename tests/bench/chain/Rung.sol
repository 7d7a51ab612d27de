// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
}

// One of the contracts that a protocol names one after the other; the last one returns what an account has earned.
contract Rung {
    address public next;                        // slot 0
    address private reward;                     // slot 1
    mapping(address => uint256) private earned; // slot 2

    function due(address account) external view returns (address token, uint256 amount) {
        return (reward, earned[account]);
    }

    function claim() external {
        uint256 amount = earned[msg.sender];
        earned[msg.sender] = 0;
        IToken(reward).transfer(msg.sender, amount);
    }
}
