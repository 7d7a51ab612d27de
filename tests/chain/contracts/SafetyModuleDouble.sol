// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for a staked token of Aave's safety module, of the third version; no package holds its bytecode. Views, indexes,
// the rate of exchange after a loss, cooldowns and claims are those of the real one; an emission is set at the beginning,
// and roles, limits, signatures and delegation are left out.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract SafetyModuleDouble {
    struct CooldownSnapshot {
        uint40 timestamp;
        uint216 amount;
    }

    uint256 private constant UNIT = 1e18;
    string public constant name = "Staked Aave";
    string public constant symbol = "stkAAVE";
    uint8 public constant decimals = 18;
    uint256 public constant UNSTAKE_WINDOW = 2 days;

    address public immutable STAKED_TOKEN;
    address public immutable REWARD_TOKEN;
    address public immutable REWARDS_VAULT;
    uint256 public immutable getCooldownSeconds;
    uint256 private immutable emission; // A second.

    uint256 public totalSupply;
    uint256 public getExchangeRate = UNIT; // Shares for a whole token.
    mapping(address => uint256) public balanceOf;
    mapping(address => CooldownSnapshot) public stakersCooldowns;
    mapping(address => uint256) private owed;
    mapping(address => uint256) private indexes;
    uint256 private index;
    uint256 private updatedAt;

    constructor(address token, address vault, uint256 cooldownSeconds, uint256 emission_) {
        (STAKED_TOKEN, REWARD_TOKEN, REWARDS_VAULT) = (token, token, vault);
        (getCooldownSeconds, emission, updatedAt) = (cooldownSeconds, emission_, block.timestamp);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return (shares * UNIT) / getExchangeRate;
    }

    function getTotalRewardsBalance(address staker) public view returns (uint256) {
        return owed[staker] + (balanceOf[staker] * (indexNow() - indexes[staker])) / UNIT;
    }

    function stake(address to, uint256 amount) external {
        settle(to);
        uint256 shares = (amount * getExchangeRate) / UNIT;
        balanceOf[to] += shares;
        totalSupply += shares;
        TokenCore(STAKED_TOKEN).transferFrom(msg.sender, address(this), amount);
    }

    function cooldown() external {
        require(balanceOf[msg.sender] != 0, "INVALID_BALANCE_ON_COOLDOWN");
        stakersCooldowns[msg.sender] = CooldownSnapshot(uint40(block.timestamp), uint216(balanceOf[msg.sender]));
    }

    function redeem(address to, uint256 amount) external {
        uint256 open = stakersCooldowns[msg.sender].timestamp + getCooldownSeconds;
        require(block.timestamp >= open, "INSUFFICIENT_COOLDOWN");
        require(block.timestamp - open <= UNSTAKE_WINDOW, "UNSTAKE_WINDOW_FINISHED");
        settle(msg.sender);
        uint256 shares = amount < balanceOf[msg.sender] ? amount : balanceOf[msg.sender];
        uint256 redeemed = previewRedeem(shares);
        balanceOf[msg.sender] -= shares;
        totalSupply -= shares;
        if (balanceOf[msg.sender] == 0) delete stakersCooldowns[msg.sender];
        TokenCore(STAKED_TOKEN).transfer(to, redeemed);
    }

    function claimRewards(address to, uint256 amount) external {
        settle(msg.sender);
        uint256 paid = amount < owed[msg.sender] ? amount : owed[msg.sender];
        require(paid != 0, "INVALID_ZERO_AMOUNT");
        owed[msg.sender] -= paid;
        require(TokenCore(REWARD_TOKEN).transferFrom(REWARDS_VAULT, to, paid));
    }

    function slash(address to, uint256 amount) external {
        uint256 left = previewRedeem(totalSupply) - amount;
        getExchangeRate = (totalSupply * UNIT + left - 1) / left;
        TokenCore(STAKED_TOKEN).transfer(to, amount);
    }

    function settle(address staker) private {
        (index, updatedAt) = (indexNow(), block.timestamp);
        owed[staker] += (balanceOf[staker] * (index - indexes[staker])) / UNIT;
        indexes[staker] = index;
    }

    function indexNow() private view returns (uint256) {
        if (totalSupply == 0) return index;
        return index + (emission * (block.timestamp - updatedAt) * UNIT) / totalSupply;
    }
}
