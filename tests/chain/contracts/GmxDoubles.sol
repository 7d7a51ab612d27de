// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for a reward tracker of GMX' first version, its distributor and its vester, which no package holds. What is counted, how it is
// rounded and what is paid is as on the real chains; a stake is made by its owner and not by a router, and averages and
// transfers are left out.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract RewardDistributorDouble {
    TokenCore public immutable rewardToken;
    uint256 public immutable tokensPerInterval;
    uint256 private lastDistributionTime = block.timestamp;

    constructor(TokenCore rewardToken_, uint256 tokensPerInterval_) {
        (rewardToken, tokensPerInterval) = (rewardToken_, tokensPerInterval_);
    }

    function pendingRewards() public view returns (uint256) {
        return tokensPerInterval * (block.timestamp - lastDistributionTime);
    }

    function distribute() external returns (uint256 amount) {
        amount = pendingRewards();
        if (amount == 0) return 0;
        lastDistributionTime = block.timestamp;
        uint256 balance = rewardToken.balanceOf(address(this));
        if (amount > balance) amount = balance;
        rewardToken.transfer(msg.sender, amount);
    }
}

contract RewardTrackerDouble {
    uint256 private constant PRECISION = 1e30;

    RewardDistributorDouble private immutable distributor;
    bool private inPrivateClaimingMode;
    uint256 public totalSupply;
    uint256 private cumulativeRewardPerToken;
    mapping(address => uint256) public totalDepositSupply;
    mapping(address => uint256) public stakedAmounts;
    mapping(address => mapping(address => uint256)) public depositBalances;
    mapping(address => uint256) private claimableReward;
    mapping(address => uint256) private previousCumulatedRewardPerToken;

    constructor(RewardDistributorDouble distributor_) {
        distributor = distributor_;
    }

    function setInPrivateClaimingMode() external {
        inPrivateClaimingMode = true;
    }

    function rewardToken() public view returns (TokenCore) {
        return distributor.rewardToken();
    }

    function stake(address token, uint256 amount) external {
        TokenCore(token).transferFrom(msg.sender, address(this), amount);
        update(msg.sender);
        stakedAmounts[msg.sender] += amount;
        depositBalances[msg.sender][token] += amount;
        totalDepositSupply[token] += amount;
        totalSupply += amount;
    }

    function unstake(address token, uint256 amount) external {
        update(msg.sender);
        stakedAmounts[msg.sender] -= amount;
        depositBalances[msg.sender][token] -= amount;
        totalDepositSupply[token] -= amount;
        totalSupply -= amount;
        TokenCore(token).transfer(msg.sender, amount);
    }

    function claimable(address account) external view returns (uint256) {
        if (stakedAmounts[account] == 0) return claimableReward[account];
        uint256 next = cumulativeRewardPerToken + (distributor.pendingRewards() * PRECISION) / totalSupply;
        return claimableReward[account] + (stakedAmounts[account] * (next - previousCumulatedRewardPerToken[account])) / PRECISION;
    }

    function claim(address receiver) external returns (uint256 amount) {
        require(!inPrivateClaimingMode, "RewardTracker: action not enabled");
        update(msg.sender);
        (amount, claimableReward[msg.sender]) = (claimableReward[msg.sender], 0);
        if (amount > 0) rewardToken().transfer(receiver, amount);
    }

    function update(address account) private {
        uint256 reward = distributor.distribute();
        if (totalSupply > 0 && reward > 0) cumulativeRewardPerToken += (reward * PRECISION) / totalSupply;
        claimableReward[account] += (stakedAmounts[account] * (cumulativeRewardPerToken - previousCumulatedRewardPerToken[account])) / PRECISION;
        previousCumulatedRewardPerToken[account] = cumulativeRewardPerToken;
    }
}

// A vester without a token that it reserves, and without bounds of what may vest. What has vested of the escrowed token stays
// here, as that cannot be burnt.
contract VesterDouble {
    TokenCore public immutable esToken;
    TokenCore public immutable claimableToken;
    uint256 public immutable vestingDuration;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public cumulativeClaimAmounts;
    mapping(address => uint256) public claimedAmounts;
    mapping(address => uint256) public lastVestingTimes;

    constructor(TokenCore esToken_, TokenCore claimableToken_, uint256 vestingDuration_) {
        (esToken, claimableToken, vestingDuration) = (esToken_, claimableToken_, vestingDuration_);
    }

    function deposit(uint256 amount) external {
        update(msg.sender);
        esToken.transferFrom(msg.sender, address(this), amount);
        balanceOf[msg.sender] += amount;
    }

    function claimable(address account) public view returns (uint256) {
        return cumulativeClaimAmounts[account] - claimedAmounts[account] + next(account);
    }

    function claim() external returns (uint256 amount) {
        update(msg.sender);
        amount = claimable(msg.sender);
        claimedAmounts[msg.sender] += amount;
        claimableToken.transfer(msg.sender, amount);
    }

    function next(address account) private view returns (uint256) {
        uint256 balance = balanceOf[account];
        uint256 total = balance + cumulativeClaimAmounts[account];
        uint256 vested = (total * (block.timestamp - lastVestingTimes[account])) / vestingDuration;
        return vested < balance ? vested : balance;
    }

    function update(address account) private {
        uint256 vested = next(account);
        lastVestingTimes[account] = block.timestamp;
        balanceOf[account] -= vested;
        cumulativeClaimAmounts[account] += vested;
    }
}
