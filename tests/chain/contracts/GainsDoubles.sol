// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for Gains' staking contract, which no package holds: stakes, vests, and rewards in several tokens. What is counted,
// how it is rounded and what is paid is as on the real chain; rewards in DAI of before its seventh version, revocation and
// who may make vests are left out. All rewards have 18 decimals.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract GNSStakingDouble {
    enum UnlockType {
        LINEAR,
        CLIFF
    }

    struct Staker {
        uint128 stakedGns;
        uint128 debtDai;
    }

    struct UnlockSchedule {
        uint128 totalGns;
        uint128 claimedGns;
        uint128 debtDai;
        uint48 start;
        uint48 duration;
        bool revocable;
        UnlockType unlockType;
        uint16 placeholder;
    }

    TokenCore public gns;
    uint128 public gnsBalance;
    mapping(address => Staker) public stakers;
    mapping(address => UnlockSchedule[]) private schedules;
    TokenCore[] private rewardTokens;
    mapping(TokenCore => uint128) private perToken;
    mapping(address => mapping(TokenCore => uint128)) private debts;
    mapping(address => mapping(TokenCore => mapping(uint256 => uint128))) private unlockDebts;

    constructor(TokenCore gns_, TokenCore[] memory tokens) {
        (gns, rewardTokens) = (gns_, tokens);
    }

    function stakeGns(uint128 amount) external {
        harvestTokens();
        gns.transferFrom(msg.sender, address(this), amount);
        stakers[msg.sender].stakedGns += amount;
        gnsBalance += amount;
        for (uint256 i = 0; i < rewardTokens.length; i++) {
            debts[msg.sender][rewardTokens[i]] = _debt(stakers[msg.sender].stakedGns, rewardTokens[i]);
        }
    }

    function createUnlockSchedule(uint128 amount, uint48 duration, UnlockType kind) external {
        gns.transferFrom(msg.sender, address(this), amount);
        gnsBalance += amount;
        uint256 id = schedules[msg.sender].length;
        schedules[msg.sender].push(UnlockSchedule(amount, 0, 0, uint48(block.timestamp), duration, false, kind, 0));
        for (uint256 i = 0; i < rewardTokens.length; i++) {
            unlockDebts[msg.sender][rewardTokens[i]][id] = _debt(amount, rewardTokens[i]);
        }
    }

    function distributeReward(TokenCore token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
        perToken[token] += uint128((amount * 1e18) / gnsBalance);
    }

    function harvestTokens() public {
        for (uint256 i = 0; i < rewardTokens.length; i++) {
            TokenCore token = rewardTokens[i];
            uint128 amount = _pending(msg.sender, token);
            debts[msg.sender][token] = _debt(stakers[msg.sender].stakedGns, token);
            token.transfer(msg.sender, amount);
        }
    }

    function claimUnlockedGns(uint256[] calldata ids) external {
        uint128 claimed;
        for (uint256 i = 0; i < ids.length; i++) {
            UnlockSchedule storage schedule = schedules[msg.sender][ids[i]];
            uint128 released = releasableGns(schedule, uint48(block.timestamp));
            uint128 held = schedule.totalGns - schedule.claimedGns;
            schedule.claimedGns += released;
            claimed += released;
            for (uint256 j = 0; j < rewardTokens.length; j++) {
                TokenCore token = rewardTokens[j];
                token.transfer(msg.sender, _debt(held, token) - unlockDebts[msg.sender][token][ids[i]]);
                unlockDebts[msg.sender][token][ids[i]] = _debt(held - released, token);
            }
        }
        gnsBalance -= claimed;
        gns.transfer(msg.sender, claimed);
    }

    function releasableGns(UnlockSchedule memory schedule, uint48 timestamp) public pure returns (uint128) {
        uint128 unlocked;
        if (timestamp >= schedule.start + schedule.duration) unlocked = schedule.totalGns;
        else if (schedule.unlockType == UnlockType.LINEAR) {
            unlocked = uint128((uint256(schedule.totalGns) * (timestamp - schedule.start)) / schedule.duration);
        }
        return unlocked - schedule.claimedGns;
    }

    function pendingRewardTokens(address staker) external view returns (uint128[] memory amounts) {
        amounts = new uint128[](rewardTokens.length);
        for (uint256 i = 0; i < amounts.length; i++) amounts[i] = _pending(staker, rewardTokens[i]);
    }

    function pendingRewardTokensFromUnlocks(address staker, uint256[] calldata ids)
        external
        view
        returns (uint128[] memory amounts)
    {
        amounts = new uint128[](rewardTokens.length);
        for (uint256 i = 0; i < ids.length; i++) {
            UnlockSchedule memory schedule = schedules[staker][ids[i]];
            for (uint256 j = 0; j < amounts.length; j++) {
                uint128 held = schedule.totalGns - schedule.claimedGns;
                amounts[j] += _debt(held, rewardTokens[j]) - unlockDebts[staker][rewardTokens[j]][ids[i]];
            }
        }
    }

    function totalGnsStaked(address staker) external view returns (uint128 total) {
        total = stakers[staker].stakedGns;
        for (uint256 i = 0; i < schedules[staker].length; i++) {
            total += schedules[staker][i].totalGns - schedules[staker][i].claimedGns;
        }
    }

    function getUnlockSchedules(address staker) external view returns (UnlockSchedule[] memory) {
        return schedules[staker];
    }

    function getRewardTokens() external view returns (TokenCore[] memory) {
        return rewardTokens;
    }

    function _debt(uint128 staked, TokenCore token) private view returns (uint128) {
        return uint128((uint256(staked) * perToken[token]) / 1e18);
    }

    function _pending(address staker, TokenCore token) private view returns (uint128) {
        return _debt(stakers[staker].stakedGns, token) - debts[staker][token];
    }
}
