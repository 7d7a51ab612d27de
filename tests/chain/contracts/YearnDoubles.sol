// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for what no package holds of Yearn: the registry of its third vaults, the registry of gauges and a gauge, the lock
// of YFI and a pool that pays those who have locked. Views, boosts, roundings and claims are those of the real ones; what
// the pool owes is set, a lock is made once, and nobody is kicked.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract YearnEndorsedDouble {
    address[] private assets;
    mapping(address => address[]) private vaults;
    mapping(address => bool) public isEndorsed;

    function endorse(address asset, address vault) external {
        if (vaults[asset].length == 0) assets.push(asset);
        vaults[asset].push(vault);
        isEndorsed[vault] = true;
    }

    function getAllEndorsedVaults() external view returns (address[][] memory all) {
        all = new address[][](assets.length);
        for (uint256 i = 0; i < assets.length; i++) all[i] = vaults[assets[i]];
    }
}

contract YearnGaugeRegistryDouble {
    address[] private vaults;
    mapping(address => address) public gauges;

    function add(address vault, address gauge) external {
        vaults.push(vault);
        gauges[vault] = gauge;
    }

    function getVaults() external view returns (address[] memory) {
        return vaults;
    }
}

contract VotingYfiDouble {
    struct LockedBalance {
        uint256 amount;
        uint256 end;
    }

    uint256 private constant MAX_LOCK = 4 * 365 * 86_400;

    TokenCore public immutable token;
    mapping(address => LockedBalance) public locked;
    mapping(address => uint256) public epoch;
    address[] private owners;

    constructor(TokenCore token_) {
        token = token_;
    }

    function modify_lock(uint256 amount, uint256 unlockTime) external {
        locked[msg.sender] = LockedBalance(amount, unlockTime);
        epoch[msg.sender] += 1;
        owners.push(msg.sender);
        token.transferFrom(msg.sender, address(this), amount);
    }

    function balanceOf(address user) public view returns (uint256) {
        LockedBalance memory own = locked[user];
        return own.end < block.timestamp ? 0 : (own.amount * (own.end - block.timestamp)) / MAX_LOCK;
    }

    function totalSupply() external view returns (uint256 total) {
        for (uint256 i = 0; i < owners.length; i++) total += balanceOf(owners[i]);
    }
}

contract YearnRewardPoolDouble {
    TokenCore public immutable token;
    mapping(address => uint256) private owed;

    constructor(TokenCore token_) {
        token = token_;
    }

    function add(address user, uint256 amount) external {
        owed[user] += amount;
    }

    // What gauges do not pay.
    function burn(uint256 amount) external returns (bool) {
        return token.transferFrom(msg.sender, address(this), amount);
    }

    function claim(address user) external returns (uint256 amount) {
        (amount, owed[user]) = (owed[user], 0);
        if (amount != 0) token.transfer(user, amount);
    }
}

contract YearnGaugeDouble {
    uint256 private constant PRECISION = 1e18;
    uint256 private constant DURATION = 14 days;

    TokenCore public immutable asset;
    TokenCore public immutable REWARD_TOKEN;
    VotingYfiDouble private immutable VEYFI;
    YearnRewardPoolDouble private immutable POOL;
    uint256 public totalSupply;
    uint256 private periodFinish;
    uint256 private rewardRate;
    uint256 private lastUpdateTime;
    uint256 private rewardPerTokenStored;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) private boosted;
    mapping(address => uint256) private paid;
    mapping(address => uint256) private rewards;
    mapping(address => address) public recipients;

    constructor(TokenCore asset_, TokenCore reward, VotingYfiDouble veYfi, YearnRewardPoolDouble pool) {
        (asset, REWARD_TOKEN, VEYFI, POOL) = (asset_, reward, veYfi, pool);
    }

    function queueNewRewards(uint256 amount) external returns (bool) {
        require(block.timestamp >= periodFinish, "a period runs");
        REWARD_TOKEN.transferFrom(msg.sender, address(this), amount);
        rewardPerTokenStored = rewardPerToken();
        (rewardRate, lastUpdateTime, periodFinish) = (amount / DURATION, block.timestamp, block.timestamp + DURATION);
        return true;
    }

    function deposit(uint256 assets) external returns (uint256) {
        update(msg.sender);
        asset.transferFrom(msg.sender, address(this), assets);
        (balanceOf[msg.sender], totalSupply) = (balanceOf[msg.sender] + assets, totalSupply + assets);
        boosted[msg.sender] = boostedOf(msg.sender);
        return assets;
    }

    function withdraw() external returns (uint256 assets) {
        update(msg.sender);
        assets = balanceOf[msg.sender];
        (balanceOf[msg.sender], totalSupply) = (0, totalSupply - assets);
        boosted[msg.sender] = boostedOf(msg.sender);
        asset.transfer(msg.sender, assets);
    }

    function setRecipient(address recipient) external {
        recipients[msg.sender] = recipient;
    }

    function earned(address account) external view returns (uint256) {
        return newEarning(account) + rewards[account];
    }

    function getReward() external returns (bool) {
        update(msg.sender);
        boosted[msg.sender] = boostedOf(msg.sender);
        uint256 reward = rewards[msg.sender];
        if (reward != 0) {
            rewards[msg.sender] = 0;
            address recipient = recipients[msg.sender];
            REWARD_TOKEN.transfer(recipient == address(0) ? msg.sender : recipient, reward);
        }
        return true;
    }

    function rewardPerToken() public view returns (uint256) {
        if (totalSupply == 0) return rewardPerTokenStored;
        uint256 until = block.timestamp < periodFinish ? block.timestamp : periodFinish;
        return rewardPerTokenStored + ((until - lastUpdateTime) * rewardRate * PRECISION) / totalSupply;
    }

    function newEarning(address account) private view returns (uint256) {
        return (boosted[account] * (rewardPerToken() - paid[account])) / PRECISION;
    }

    function boostedOf(address account) private view returns (uint256) {
        uint256 all = VEYFI.totalSupply();
        uint256 own = balanceOf[account];
        if (all == 0) return own;
        uint256 counted = (own + ((totalSupply * VEYFI.balanceOf(account)) / all) * 9) / 10;
        return counted < own ? counted : own;
    }

    function update(address account) private {
        rewardPerTokenStored = rewardPerToken();
        lastUpdateTime = block.timestamp < periodFinish ? block.timestamp : periodFinish;
        if (boosted[account] != 0) {
            uint256 earning = newEarning(account);
            uint256 penalty = (balanceOf[account] * (rewardPerTokenStored - paid[account])) / PRECISION - earning;
            rewards[account] += earning;
            REWARD_TOKEN.approve(address(POOL), penalty);
            POOL.burn(penalty);
        }
        paid[account] = rewardPerTokenStored;
    }
}
