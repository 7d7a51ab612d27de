// SPDX-License-Identifier: MIT OR Apache-2.0
// Farms whose claims do other than they say, and a token that keeps a part of what is sent. Every account has earned the
// same in each of them.
pragma solidity ^0.8.30;

import "./Tokens.sol";

// A farm in which nobody has a stake, and that owes the same to everybody.
abstract contract FarmCore {
    TokenCore public rewardsToken;
    TokenCore public stakingToken;
    uint256 public reward;

    constructor(TokenCore rewardsToken_, TokenCore stakingToken_, uint256 reward_) {
        rewardsToken = rewardsToken_;
        stakingToken = stakingToken_;
        reward = reward_;
    }

    function rewardRate() external pure returns (uint256) {
        return 0;
    }

    function periodFinish() external pure returns (uint256) {
        return 0;
    }

    function totalSupply() external pure returns (uint256) {
        return 0;
    }

    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }

    function earned(address) external view returns (uint256) {
        return reward;
    }
}

contract FarmDouble is FarmCore {
    enum Deed { Pay, PayNothing, Fail, Approve, Take, Shy, CallBack, First }

    Deed public deed;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(TokenCore rewardsToken_, TokenCore stakingToken_, Deed deed_, uint256 reward_)
        FarmCore(rewardsToken_, stakingToken_, reward_)
    {
        deed = deed_;
    }

    function getReward() external {
        require(deed != Deed.Fail, "nothing is left");
        if (deed == Deed.First) require(rewardsToken.balanceOf(msg.sender) == 0, "not the first");
        if (deed == Deed.Shy) require(msg.sender.code.length == 0, "no contracts");
        if (deed == Deed.Approve) allowance[msg.sender][address(this)] = type(uint256).max;
        if (deed == Deed.Take) stakingToken.transferFrom(msg.sender, address(this), 1);
        if (deed == Deed.CallBack) {
            (bool called, bytes memory returned) = msg.sender.call("tokensReceived");
            require(called && returned.length == 0, "accounts return nothing");
        }
        if (deed != Deed.PayNothing) rewardsToken.transfer(msg.sender, reward);
    }
}

// A twentieth of every transfer stays with the token.
contract TaxedTokenDouble {
    string public constant name = "Taxed";
    string public constant symbol = "TAX";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[address(this)] += value / 20;
        balanceOf[to] += value - value / 20;
        return true;
    }
}
