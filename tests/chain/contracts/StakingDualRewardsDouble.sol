// SPDX-License-Identifier: MIT OR Apache-2.0
// Stands for QuickSwap's farm with two reward tokens and for the factory that
// makes it; no package holds their bytecode. Views, claims and roundings are those
// of the real pair; ownership, pausing and recovery are left out.
pragma solidity ^0.8.30;

import "./Tokens.sol";

contract StakingDualRewardsDouble {
    address public dualRewardsDistribution;
    TokenCore public rewardsTokenA;
    TokenCore public rewardsTokenB;
    TokenCore public stakingToken;
    uint256 public periodFinish;
    uint256 public rewardRateA;
    uint256 public rewardRateB;
    uint256 public lastUpdateTime;
    uint256 public rewardPerTokenAStored;
    uint256 public rewardPerTokenBStored;
    uint256 public totalSupply;
    mapping(address => uint256) public userRewardPerTokenAPaid;
    mapping(address => uint256) public userRewardPerTokenBPaid;
    mapping(address => uint256) public rewardsA;
    mapping(address => uint256) public rewardsB;
    mapping(address => uint256) public balanceOf;

    event RewardAdded(uint256 rewardA, uint256 rewardB, uint256 periodFinish);
    event Staked(address indexed user, uint256 amount);
    event Withdrawn(address indexed user, uint256 amount);
    event RewardPaid(address indexed user, address rewardToken, uint256 reward);

    constructor(TokenCore rewardsTokenA_, TokenCore rewardsTokenB_, TokenCore stakingToken_) {
        require(rewardsTokenA_ != rewardsTokenB_, "rewards tokens should be different");
        dualRewardsDistribution = msg.sender;
        rewardsTokenA = rewardsTokenA_;
        rewardsTokenB = rewardsTokenB_;
        stakingToken = stakingToken_;
    }

    function lastTimeRewardApplicable() public view returns (uint256) {
        return block.timestamp < periodFinish ? block.timestamp : periodFinish;
    }

    function rewardPerTokenA() public view returns (uint256) {
        return rewardPerTokenAStored + _accrued(rewardRateA);
    }

    function rewardPerTokenB() public view returns (uint256) {
        return rewardPerTokenBStored + _accrued(rewardRateB);
    }

    function earnedA(address account) public view returns (uint256) {
        return balanceOf[account] * (rewardPerTokenA() - userRewardPerTokenAPaid[account]) / 1e18 + rewardsA[account];
    }

    function earnedB(address account) public view returns (uint256) {
        return balanceOf[account] * (rewardPerTokenB() - userRewardPerTokenBPaid[account]) / 1e18 + rewardsB[account];
    }

    function stake(uint256 amount) external {
        require(amount > 0, "Cannot stake 0");
        _settle(msg.sender);
        totalSupply += amount;
        balanceOf[msg.sender] += amount;
        stakingToken.transferFrom(msg.sender, address(this), amount);
        emit Staked(msg.sender, amount);
    }

    function withdraw(uint256 amount) public {
        require(amount > 0, "Cannot withdraw 0");
        _settle(msg.sender);
        totalSupply -= amount;
        balanceOf[msg.sender] -= amount;
        stakingToken.transfer(msg.sender, amount);
        emit Withdrawn(msg.sender, amount);
    }

    function getReward() public {
        _settle(msg.sender);
        uint256 amountA = rewardsA[msg.sender];
        uint256 amountB = rewardsB[msg.sender];
        (rewardsA[msg.sender], rewardsB[msg.sender]) = (0, 0);
        _pay(rewardsTokenA, amountA);
        _pay(rewardsTokenB, amountB);
    }

    function exit() external {
        withdraw(balanceOf[msg.sender]);
        getReward();
    }

    function notifyRewardAmount(uint256 rewardA, uint256 rewardB, uint256 rewardsDuration) external {
        require(msg.sender == dualRewardsDistribution, "Caller is not DualRewardsDistribution contract");
        require(block.timestamp + rewardsDuration >= periodFinish, "Cannot reduce existing period");
        _settle(address(0));
        uint256 remaining = block.timestamp < periodFinish ? periodFinish - block.timestamp : 0;
        rewardRateA = (rewardA + remaining * rewardRateA) / rewardsDuration;
        rewardRateB = (rewardB + remaining * rewardRateB) / rewardsDuration;
        lastUpdateTime = block.timestamp;
        periodFinish = block.timestamp + rewardsDuration;
        emit RewardAdded(rewardA, rewardB, periodFinish);
    }

    function _accrued(uint256 rate) private view returns (uint256) {
        if (totalSupply == 0) return 0;
        return (lastTimeRewardApplicable() - lastUpdateTime) * rate * 1e18 / totalSupply;
    }

    function _settle(address account) private {
        (rewardPerTokenAStored, rewardPerTokenBStored) = (rewardPerTokenA(), rewardPerTokenB());
        lastUpdateTime = lastTimeRewardApplicable();
        if (account == address(0)) return;
        (rewardsA[account], rewardsB[account]) = (earnedA(account), earnedB(account));
        userRewardPerTokenAPaid[account] = rewardPerTokenAStored;
        userRewardPerTokenBPaid[account] = rewardPerTokenBStored;
    }

    function _pay(TokenCore token, uint256 amount) private {
        if (amount == 0) return;
        require(token.transfer(msg.sender, amount), "reward transfer failed");
        emit RewardPaid(msg.sender, address(token), amount);
    }
}

contract StakingRewardsDualFactoryDouble {
    struct StakingRewardsInfo {
        address stakingRewards;
        address rewardsTokenA;
        address rewardsTokenB;
        uint256 rewardAmountA;
        uint256 rewardAmountB;
        uint256 duration;
    }

    address public owner;
    uint256 public stakingRewardsGenesis;
    address[] private _stakingTokens;
    mapping(address => StakingRewardsInfo) public stakingRewardsInfoByStakingToken;

    constructor(uint256 stakingRewardsGenesis_) {
        owner = msg.sender;
        stakingRewardsGenesis = stakingRewardsGenesis_;
    }

    // The first argument is the farm's owner on the real factory; the double has none.
    function deploy(
        address,
        address stakingToken,
        address rewardsTokenA,
        address rewardsTokenB,
        uint256 rewardAmountA,
        uint256 rewardAmountB,
        uint256 rewardsDuration
    ) external {
        require(msg.sender == owner, "Only the contract owner may perform this action");
        require(stakingRewardsInfoByStakingToken[stakingToken].stakingRewards == address(0), "already deployed");
        StakingDualRewardsDouble farm = new StakingDualRewardsDouble(
            TokenCore(rewardsTokenA), TokenCore(rewardsTokenB), TokenCore(stakingToken)
        );
        stakingRewardsInfoByStakingToken[stakingToken] = StakingRewardsInfo(
            address(farm), rewardsTokenA, rewardsTokenB, rewardAmountA, rewardAmountB, rewardsDuration
        );
        _stakingTokens.push(stakingToken);
    }

    // Beyond the end it burns all gas, as array getters of Solidity 0.5 do.
    function stakingTokens(uint256 index) external view returns (address) {
        if (index >= _stakingTokens.length) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        return _stakingTokens[index];
    }

    function notifyRewardAmount(address stakingToken) external {
        require(block.timestamp >= stakingRewardsGenesis, "not ready");
        StakingRewardsInfo storage info = stakingRewardsInfoByStakingToken[stakingToken];
        require(info.stakingRewards != address(0), "not deployed");
        (uint256 amountA, uint256 amountB, uint256 duration) = (info.rewardAmountA, info.rewardAmountB, info.duration);
        if (amountA == 0 || amountB == 0 || duration == 0) return;
        (info.rewardAmountA, info.rewardAmountB, info.duration) = (0, 0, 0);
        TokenCore(info.rewardsTokenA).transfer(info.stakingRewards, amountA);
        TokenCore(info.rewardsTokenB).transfer(info.stakingRewards, amountB);
        StakingDualRewardsDouble(info.stakingRewards).notifyRewardAmount(amountA, amountB, duration);
    }
}
