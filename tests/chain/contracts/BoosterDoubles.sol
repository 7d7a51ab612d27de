// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Convex's booster with its reward pools, extra rewards in wrappers, the token that is minted by cliffs, the
// stakes of that token and its locker, and for its booster on other networks; no package holds their bytecode. Views, claims and roundings are those of the real
// ones. Receipts of deposits, gauges, fees of the booster, queues of rewards, boosts, epochs and votes are left out.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

// A week of a reward, shared by stakes that are counted here or elsewhere.
abstract contract StreamDouble {
    uint256 public constant duration = 7 days;
    address public rewardToken;
    uint256 public periodFinish;
    uint256 public rewardRate;
    uint256 public lastUpdateTime;
    uint256 public rewardPerTokenStored;
    mapping(address => uint256) public userRewardPerTokenPaid;
    mapping(address => uint256) public rewards;

    function totalSupply() public view virtual returns (uint256);
    function balanceOf(address account) public view virtual returns (uint256);

    function rewardPerToken() public view returns (uint256) {
        if (totalSupply() == 0) return rewardPerTokenStored;
        uint256 until = block.timestamp < periodFinish ? block.timestamp : periodFinish;
        return rewardPerTokenStored + (until - lastUpdateTime) * rewardRate * 1e18 / totalSupply();
    }

    function _earned(address account) internal view returns (uint256) {
        return balanceOf(account) * (rewardPerToken() - userRewardPerTokenPaid[account]) / 1e18 + rewards[account];
    }

    function _update(address account) internal {
        rewardPerTokenStored = rewardPerToken();
        lastUpdateTime = block.timestamp < periodFinish ? block.timestamp : periodFinish;
        if (account == address(0)) return;
        rewards[account] = _earned(account);
        userRewardPerTokenPaid[account] = rewardPerTokenStored;
    }

    // The rewards are here already; a period that runs is not added to.
    function notify(uint256 reward) external {
        _update(address(0));
        rewardRate = reward / duration;
        lastUpdateTime = block.timestamp;
        periodFinish = block.timestamp + duration;
    }
}

abstract contract CountedStreamDouble is StreamDouble {
    address public stakingToken;
    uint256 private supply;
    mapping(address => uint256) private balances;

    function totalSupply() public view override returns (uint256) {
        return supply;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return balances[account];
    }

    function _stake(uint256 amount) internal {
        _update(msg.sender);
        supply += amount;
        balances[msg.sender] += amount;
        TokenCore(stakingToken).transferFrom(msg.sender, address(this), amount);
    }
}

contract RewardPoolDouble is CountedStreamDouble {
    BoosterDouble public immutable operator;
    uint256 public immutable pid;
    ExtraRewardDouble[] public extraRewards;

    constructor(BoosterDouble operator_, uint256 pid_, address staked, address reward) {
        (operator, pid, stakingToken, rewardToken) = (operator_, pid_, staked, reward);
    }

    function extraRewardsLength() external view returns (uint256) {
        return extraRewards.length;
    }

    function addExtraReward(ExtraRewardDouble extra) external {
        extraRewards.push(extra);
    }

    function earned(address account) external view returns (uint256) {
        return _earned(account);
    }

    function stake(uint256 amount) external {
        for (uint256 i; i < extraRewards.length; i++) extraRewards[i].stake(msg.sender);
        _stake(amount);
    }

    function getReward(address account, bool claimExtras) external returns (bool) {
        _update(account);
        uint256 reward = rewards[account];
        if (reward > 0) {
            rewards[account] = 0;
            TokenCore(rewardToken).transfer(account, reward);
            operator.rewardClaimed(pid, account, reward);
        }
        if (!claimExtras) return true;
        for (uint256 i; i < extraRewards.length; i++) extraRewards[i].getReward(account);
        return true;
    }
}

// A reward of stakes that another contract counts.
contract ExtraRewardDouble is StreamDouble {
    RewardPoolDouble public immutable deposits;

    constructor(RewardPoolDouble deposits_, address reward) {
        (deposits, rewardToken) = (deposits_, reward);
    }

    function totalSupply() public view override returns (uint256) {
        return deposits.totalSupply();
    }

    function balanceOf(address account) public view override returns (uint256) {
        return deposits.balanceOf(account);
    }

    function earned(address account) external view returns (uint256) {
        return _earned(account);
    }

    function stake(address account) external {
        require(msg.sender == address(deposits), "!authorized");
        _update(account);
    }

    function getReward(address account) external {
        _update(account);
        uint256 reward = rewards[account];
        if (reward == 0) return;
        rewards[account] = 0;
        TokenCore(rewardToken).transfer(account, reward);
    }
}

// Counts as a token for one contract, and pays what it wraps.
contract StashTokenWrapperDouble {
    address public token;
    address public rewardPool;

    function init(address token_, address pool) external {
        (token, rewardPool) = (token_, pool);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        if (msg.sender == rewardPool) TokenCore(token).transfer(to, amount);
        return true;
    }
}

contract BoosterDouble {
    struct PoolInfo {
        address lptoken;
        address token;
        address gauge;
        address crvRewards;
        address stash;
        bool shutdown;
    }

    CliffTokenDouble public immutable minter;
    address public lockRewards;
    PoolInfo[] public poolInfo;

    constructor(CliffTokenDouble minter_) {
        minter = minter_;
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function addPool(address lptoken, address pool) external {
        poolInfo.push(PoolInfo(lptoken, address(0), address(0), pool, address(0), false));
    }

    function shutdownPool(uint256 pid) external {
        poolInfo[pid].shutdown = true;
    }

    function setLockRewards(address pool) external {
        lockRewards = pool;
    }

    function rewardClaimed(uint256 pid, address account, uint256 amount) external returns (bool) {
        require(msg.sender == poolInfo[pid].crvRewards || msg.sender == lockRewards, "!auth");
        minter.mint(account, amount);
        return true;
    }
}

contract CliffTokenDouble is TokenDouble {
    address public operator = msg.sender;
    uint256 public constant maxSupply = 100_000_000e18;
    uint256 public constant totalCliffs = 1000;
    uint256 public constant reductionPerCliff = maxSupply / totalCliffs;

    constructor() TokenDouble("Convex Token", "CVX", 18) {}

    function setOperator(address operator_) external {
        operator = operator_;
    }

    function mint(address to, uint256 amount) external override {
        if (msg.sender != operator) return;
        if (totalSupply > 0) {
            uint256 cliff = totalSupply / reductionPerCliff;
            if (cliff >= totalCliffs) return;
            amount = amount * (totalCliffs - cliff) / totalCliffs;
            if (amount > maxSupply - totalSupply) amount = maxSupply - totalSupply;
        }
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }
}

// cvxRewardPool: its reward becomes another token when it is claimed, for a fee.
contract CvxRewardPoolDouble is CountedStreamDouble {
    address public immutable cvxCrvToken;
    uint256 private constant LOCK_INCENTIVE = 10;
    uint256 private constant FEE_DENOMINATOR = 10_000;
    uint256 public constant extraRewardsLength = 0;

    constructor(address staked, address reward, address cvxCrv) {
        (stakingToken, rewardToken, cvxCrvToken) = (staked, reward, cvxCrv);
    }

    function earned(address account) external view returns (uint256) {
        uint256 reward = _earned(account);
        return reward - reward * LOCK_INCENTIVE / FEE_DENOMINATOR;
    }

    function stake(uint256 amount) external {
        _stake(amount);
    }

    function getReward(address account, bool, bool) external {
        _update(account);
        uint256 reward = rewards[account];
        if (reward == 0) return;
        rewards[account] = 0;
        // The depositor keeps the reward, and mints the other token for it.
        TokenCore(rewardToken).transfer(address(0xdead), reward);
        TokenCore(cvxCrvToken).mint(address(this), reward - reward * LOCK_INCENTIVE / FEE_DENOMINATOR);
        TokenCore(cvxCrvToken).transfer(account, TokenCore(cvxCrvToken).balanceOf(address(this)));
    }
}

// CvxLockerV2, where nothing is boosted.
contract VoteLockerDouble {
    struct Balances {
        uint112 locked;
        uint112 boosted;
        uint32 nextUnlockIndex;
    }

    struct LockedBalance {
        uint112 amount;
        uint112 boosted;
        uint32 unlockTime;
    }

    struct EarnedData {
        address token;
        uint256 amount;
    }

    struct Reward {
        uint256 periodFinish;
        uint256 rewardRate;
        uint256 lastUpdateTime;
        uint256 rewardPerTokenStored;
    }

    uint256 public constant rewardsDuration = 7 days;
    uint256 public constant lockDuration = rewardsDuration * 16;
    bool public constant isShutdown = false;
    address public immutable stakingToken;
    uint256 public lockedSupply;
    address[] public rewardTokens;
    mapping(address => Reward) public rewardData;
    mapping(address => mapping(address => uint256)) public userRewardPerTokenPaid;
    mapping(address => mapping(address => uint256)) public rewards;
    mapping(address => Balances) public balances;
    mapping(address => LockedBalance[]) public userLocks;

    constructor(address token) {
        stakingToken = token;
    }

    function addReward(address token) external {
        rewardTokens.push(token);
    }

    function notifyRewardAmount(address token, uint256 reward) external {
        _update(address(0));
        Reward storage data = rewardData[token];
        data.rewardRate = reward / rewardsDuration;
        (data.lastUpdateTime, data.periodFinish) = (block.timestamp, block.timestamp + rewardsDuration);
    }

    function lock(address account, uint112 amount, uint256) external {
        _update(account);
        TokenCore(stakingToken).transferFrom(msg.sender, address(this), amount);
        balances[account].locked += amount;
        lockedSupply += amount;
        // Locks begin with the next week.
        uint256 epoch = block.timestamp / rewardsDuration * rewardsDuration + rewardsDuration;
        uint32 unlockTime = uint32(epoch + lockDuration);
        LockedBalance[] storage locks = userLocks[account];
        if (locks.length > 0 && locks[locks.length - 1].unlockTime == unlockTime) locks[locks.length - 1].amount += amount;
        else locks.push(LockedBalance(amount, 0, unlockTime));
    }

    function lockedBalances(address account)
        external
        view
        returns (uint256 total, uint256 unlockable, uint256 locked, LockedBalance[] memory lockData)
    {
        LockedBalance[] storage locks = userLocks[account];
        uint256 found;
        for (uint256 i = balances[account].nextUnlockIndex; i < locks.length; i++) {
            if (locks[i].unlockTime <= block.timestamp) {
                unlockable += locks[i].amount;
                continue;
            }
            if (found == 0) lockData = new LockedBalance[](locks.length - i);
            lockData[found++] = locks[i];
            locked += locks[i].amount;
        }
        return (balances[account].locked, unlockable, locked, lockData);
    }

    function claimableRewards(address account) external view returns (EarnedData[] memory owed) {
        owed = new EarnedData[](rewardTokens.length);
        for (uint256 i; i < owed.length; i++) {
            owed[i] = EarnedData(rewardTokens[i], _earned(account, rewardTokens[i]));
        }
    }

    function getReward(address account) external {
        _update(account);
        for (uint256 i; i < rewardTokens.length; i++) {
            uint256 reward = rewards[account][rewardTokens[i]];
            if (reward == 0) continue;
            rewards[account][rewardTokens[i]] = 0;
            TokenCore(rewardTokens[i]).transfer(account, reward);
        }
    }

    function _rewardPerToken(address token) private view returns (uint256) {
        Reward storage data = rewardData[token];
        if (lockedSupply == 0) return data.rewardPerTokenStored;
        uint256 until = block.timestamp < data.periodFinish ? block.timestamp : data.periodFinish;
        return data.rewardPerTokenStored + (until - data.lastUpdateTime) * data.rewardRate * 1e18 / lockedSupply;
    }

    function _earned(address account, address token) private view returns (uint256) {
        uint256 paid = userRewardPerTokenPaid[account][token];
        return balances[account].locked * (_rewardPerToken(token) - paid) / 1e18 + rewards[account][token];
    }

    function _update(address account) private {
        for (uint256 i; i < rewardTokens.length; i++) {
            address token = rewardTokens[i];
            Reward storage data = rewardData[token];
            data.rewardPerTokenStored = _rewardPerToken(token);
            data.lastUpdateTime = block.timestamp < data.periodFinish ? block.timestamp : data.periodFinish;
            if (account == address(0)) continue;
            rewards[account][token] = _earned(account, token);
            userRewardPerTokenPaid[account][token] = data.rewardPerTokenStored;
        }
    }
}

// Pays what has run up since the last claim to whom it is told, of each of its tokens.
contract SideGaugeDouble {
    address[] private tokens;
    uint256[] private rates;
    uint256 private since;

    // The tokens are here already.
    function start(address[] calldata tokens_, uint256[] calldata rates_) external {
        (tokens, rates, since) = (tokens_, rates_, block.timestamp);
    }

    function claim(address to) external {
        for (uint256 i; i < tokens.length; i++) TokenCore(tokens[i]).transfer(to, rates[i] * (block.timestamp - since));
        since = block.timestamp;
    }
}

// A pool of Convex on other networks, which claims of its gauge whenever somebody asks. Fees and hooks are left out.
contract SideRewardPoolDouble {
    struct Reward {
        address token;
        uint256 integral;
        uint256 remaining;
    }

    struct EarnedData {
        address token;
        uint256 amount;
    }

    address public immutable crv;
    address private immutable lptoken;
    SideGaugeDouble private immutable gauge;
    Reward[] private rewards;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => address) public rewardRedirect;
    mapping(address => mapping(address => uint256)) public claimable_reward;
    mapping(address => mapping(address => uint256)) private integralFor;

    constructor(address lptoken_, SideGaugeDouble gauge_, address[] memory tokens) {
        (lptoken, gauge, crv) = (lptoken_, gauge_, tokens[0]);
        for (uint256 i; i < tokens.length; i++) rewards.push(Reward(tokens[i], 0, 0));
    }

    function stake(uint256 amount) external {
        checkpoint(msg.sender, address(0));
        totalSupply += amount;
        balanceOf[msg.sender] += amount;
        TokenCore(lptoken).transferFrom(msg.sender, address(this), amount);
    }

    function earned(address account) external returns (EarnedData[] memory claimable) {
        checkpoint(account, address(0));
        claimable = new EarnedData[](rewards.length);
        for (uint256 i; i < rewards.length; i++) {
            claimable[i] = EarnedData(rewards[i].token, claimable_reward[rewards[i].token][account]);
        }
    }

    function getReward(address account) external {
        checkpoint(account, account);
    }

    function checkpoint(address account, address to) private {
        gauge.claim(address(this));
        for (uint256 i; i < rewards.length; i++) count(rewards[i], account, to);
    }

    function count(Reward storage reward, address account, address to) private {
        uint256 balance = TokenCore(reward.token).balanceOf(address(this));
        if (totalSupply > 0) reward.integral += ((balance - reward.remaining) * 1e20) / totalSupply;
        uint256 more = (balanceOf[account] * (reward.integral - integralFor[reward.token][account])) / 1e20;
        integralFor[reward.token][account] = reward.integral;
        uint256 owed = claimable_reward[reward.token][account] + more;
        claimable_reward[reward.token][account] = to == address(0) ? owed : 0;
        if (to != address(0)) TokenCore(reward.token).transfer(to, owed);
        reward.remaining = to == address(0) ? balance : balance - owed;
    }
}

contract SideBoosterDouble {
    struct PoolInfo {
        address lptoken;
        address gauge;
        address rewards;
        bool shutdown;
        address factory;
    }

    PoolInfo[] public poolInfo;

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function addPool(address lptoken, address gauge, address rewards) external {
        poolInfo.push(PoolInfo(lptoken, gauge, rewards, false, address(this)));
    }
}
