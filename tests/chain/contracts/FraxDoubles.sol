// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Frax' unified farm, which no package holds: stakes with their locks, what they count, periods of a week that a
// claim renews, and a claim that pays all tokens. A lock counts as much as at its beginning until the stake leaves, nobody
// has veFXS, and who gives the rewards is left out.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract FraxUnifiedFarmDouble {
    struct LockedStake {
        bytes32 kek_id;
        uint256 start_timestamp;
        uint256 liquidity;
        uint256 ending_timestamp;
        uint256 lock_multiplier;
    }

    uint256 private constant PRECISION = 1e18;
    uint256 private constant MULTIPLIER_MAX = 2e18;
    uint256 private constant LOCK_MAX = 1095 days;
    uint256 private constant DURATION = 7 days;

    TokenCore public immutable stakingToken;
    address[] private tokens;
    uint256[] private rates;
    uint256[] private stored;
    uint256 private periodFinish;
    uint256 private lastUpdateTime;
    uint256 private totalWeight;
    uint256 public totalLiquidityLocked;
    bool public stakesUnlocked;
    bool private rewardsCollectionPaused;
    mapping(address => uint256) public lockedLiquidityOf;
    mapping(address => uint256) private weights;
    mapping(address => LockedStake[]) private stakes;
    mapping(address => mapping(uint256 => uint256)) private paid;
    mapping(address => mapping(uint256 => uint256)) private rewards;

    constructor(TokenCore stakingToken_, address[] memory tokens_, uint256[] memory rates_) {
        (stakingToken, tokens, rates, stored) = (stakingToken_, tokens_, rates_, new uint256[](rates_.length));
        (lastUpdateTime, periodFinish) = (block.timestamp, block.timestamp + DURATION);
    }

    function setUnlocked() external {
        stakesUnlocked = true;
    }

    function setPaused() external {
        rewardsCollectionPaused = true;
    }

    function getAllRewardTokens() external view returns (address[] memory) {
        return tokens;
    }

    function lockedStakesOf(address account) external view returns (LockedStake[] memory) {
        return stakes[account];
    }

    // What has been earned by the end of the period, also where that is over.
    function earned(address account) public view returns (uint256[] memory amounts) {
        uint256[] memory perToken = rewardsPerToken();
        amounts = new uint256[](tokens.length);
        if (weights[account] == 0) return amounts;
        for (uint256 i = 0; i < amounts.length; i++) {
            amounts[i] = (weights[account] * (perToken[i] - paid[account][i])) / PRECISION + rewards[account][i];
        }
    }

    function stakeLocked(uint256 liquidity, uint256 secs) external {
        update(msg.sender);
        stakingToken.transferFrom(msg.sender, address(this), liquidity);
        bytes32 id = keccak256(abi.encodePacked(msg.sender, block.timestamp, liquidity, lockedLiquidityOf[msg.sender]));
        uint256 multiplier = (secs * MULTIPLIER_MAX) / LOCK_MAX;
        stakes[msg.sender].push(LockedStake(id, block.timestamp, liquidity, block.timestamp + secs, multiplier));
        count(msg.sender);
    }

    function withdrawFirst() external {
        collect(msg.sender, msg.sender);
        LockedStake memory stake = stakes[msg.sender][0];
        require(block.timestamp >= stake.ending_timestamp || stakesUnlocked, "Stake is still locked!");
        stakingToken.transfer(msg.sender, stake.liquidity);
        delete stakes[msg.sender][0];
        count(msg.sender);
    }

    function getReward(address destination) external returns (uint256[] memory) {
        return collect(msg.sender, destination);
    }

    function collect(address account, address destination) private returns (uint256[] memory amounts) {
        update(account);
        require(!rewardsCollectionPaused, "Rewards collection paused");
        amounts = new uint256[](tokens.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            (amounts[i], rewards[account][i]) = (rewards[account][i], 0);
            if (amounts[i] > 0) TokenCore(tokens[i]).transfer(destination, amounts[i]);
        }
    }

    function rewardsPerToken() private view returns (uint256[] memory perToken) {
        perToken = stored;
        if (totalWeight == 0) return perToken;
        uint256 until = block.timestamp < periodFinish ? block.timestamp : periodFinish;
        for (uint256 i = 0; i < perToken.length; i++) {
            perToken[i] += ((until - lastUpdateTime) * rates[i] * PRECISION) / totalWeight;
        }
    }

    function catchUp() private {
        stored = rewardsPerToken();
        lastUpdateTime = block.timestamp < periodFinish ? block.timestamp : periodFinish;
    }

    function update(address account) private {
        catchUp();
        if (block.timestamp >= periodFinish) {
            periodFinish += ((block.timestamp - periodFinish) / DURATION + 1) * DURATION;
            catchUp();
        }
        uint256[] memory amounts = earned(account);
        for (uint256 i = 0; i < amounts.length; i++) (rewards[account][i], paid[account][i]) = (amounts[i], stored[i]);
    }

    function count(address account) private {
        (uint256 liquidity, uint256 weight) = (0, 0);
        for (uint256 i = 0; i < stakes[account].length; i++) {
            LockedStake memory stake = stakes[account][i];
            liquidity += stake.liquidity;
            weight += stake.liquidity + (stake.liquidity * stake.lock_multiplier) / PRECISION;
        }
        totalLiquidityLocked = totalLiquidityLocked + liquidity - lockedLiquidityOf[account];
        totalWeight = totalWeight + weight - weights[account];
        (lockedLiquidityOf[account], weights[account]) = (liquidity, weight);
    }
}
