// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for SushiSwap's MasterChefV2 and MiniChefV2 and for a rewarder of theirs, which
// no package holds: public ABI and integer roundings as on the real chains. SUSHI is put
// into them beforehand instead of being harvested from MasterChef or bridged.
pragma solidity ^0.8.30;

import "./Tokens.sol";

interface IRewarderOfChef {
    function onSushiReward(uint256 pid, address user, address recipient, uint256 sushiAmount, uint256 newLpAmount) external;
    function pendingTokens(uint256 pid, address user, uint256 sushiAmount) external view returns (TokenCore[] memory, uint256[] memory);
}

abstract contract ChefCore {
    struct UserInfo {
        uint256 amount;
        int256 rewardDebt;
    }

    // The members' names differ between both chefs, their types do not.
    struct Pool {
        uint128 accSushiPerShare;
        uint64 last;
        uint64 allocPoint;
    }

    uint256 private constant PRECISION = 1e12;

    TokenCore public immutable SUSHI;
    address public owner;
    TokenCore[] public lpToken;
    IRewarderOfChef[] public rewarder;
    mapping(uint256 => mapping(address => UserInfo)) public userInfo;
    uint256 public totalAllocPoint;
    Pool[] internal pools;

    event Deposit(address indexed user, uint256 indexed pid, uint256 amount, address indexed to);
    event Withdraw(address indexed user, uint256 indexed pid, uint256 amount, address indexed to);
    event Harvest(address indexed user, uint256 indexed pid, uint256 amount);

    constructor(TokenCore sushi) {
        SUSHI = sushi;
        owner = msg.sender;
    }

    function poolLength() external view returns (uint256) {
        return pools.length;
    }

    function add(uint256 allocPoint, TokenCore _lpToken, IRewarderOfChef _rewarder) external {
        require(msg.sender == owner, "not the owner");
        totalAllocPoint += allocPoint;
        lpToken.push(_lpToken);
        rewarder.push(_rewarder);
        pools.push(Pool(0, uint64(_clock()), uint64(allocPoint)));
    }

    function pendingSushi(uint256 _pid, address _user) external view returns (uint256) {
        Pool memory pool = _grown(_pid);
        UserInfo storage user = userInfo[_pid][_user];
        return uint256(_share(user.amount, pool) - user.rewardDebt);
    }

    function deposit(uint256 pid, uint256 amount, address to) external {
        Pool memory pool = _update(pid);
        UserInfo storage user = userInfo[pid][to];
        user.amount += amount;
        user.rewardDebt += _share(amount, pool);
        _notify(pid, to, to, 0, user.amount);
        lpToken[pid].transferFrom(msg.sender, address(this), amount);
        emit Deposit(msg.sender, pid, amount, to);
    }

    function withdraw(uint256 pid, uint256 amount, address to) external {
        Pool memory pool = _update(pid);
        UserInfo storage user = userInfo[pid][msg.sender];
        user.rewardDebt -= _share(amount, pool);
        user.amount -= amount;
        _notify(pid, msg.sender, to, 0, user.amount);
        lpToken[pid].transfer(to, amount);
        emit Withdraw(msg.sender, pid, amount, to);
    }

    function harvest(uint256 pid, address to) external {
        Pool memory pool = _update(pid);
        UserInfo storage user = userInfo[pid][msg.sender];
        int256 accumulated = _share(user.amount, pool);
        uint256 pending = uint256(accumulated - user.rewardDebt);
        user.rewardDebt = accumulated;
        if (pending != 0) SUSHI.transfer(to, pending);
        _notify(pid, msg.sender, to, pending, user.amount);
        emit Harvest(msg.sender, pid, pending);
    }

    function _clock() internal view virtual returns (uint256);
    function _rate() internal view virtual returns (uint256);

    function _update(uint256 pid) private returns (Pool memory pool) {
        pool = _grown(pid);
        pools[pid] = pool;
    }

    function _grown(uint256 pid) private view returns (Pool memory pool) {
        pool = pools[pid];
        uint256 supply = lpToken[pid].balanceOf(address(this));
        if (_clock() > pool.last && supply != 0) {
            uint256 reward = (_clock() - pool.last) * _rate() * pool.allocPoint / totalAllocPoint;
            pool.accSushiPerShare += uint128(reward * PRECISION / supply);
        }
        pool.last = uint64(_clock());
    }

    function _share(uint256 amount, Pool memory pool) private pure returns (int256) {
        return int256(amount * pool.accSushiPerShare / PRECISION);
    }

    function _notify(uint256 pid, address user, address to, uint256 paid, uint256 staked) private {
        IRewarderOfChef notified = rewarder[pid];
        if (address(notified) != address(0)) notified.onSushiReward(pid, user, to, paid, staked);
    }
}

contract MasterChefV2Double is ChefCore {
    uint256 public immutable sushiPerBlock;

    constructor(TokenCore sushi, uint256 perBlock) ChefCore(sushi) {
        sushiPerBlock = perBlock;
    }

    function poolInfo(uint256 pid) external view returns (uint128 accSushiPerShare, uint64 lastRewardBlock, uint64 allocPoint) {
        return (pools[pid].accSushiPerShare, pools[pid].last, pools[pid].allocPoint);
    }

    function _clock() internal view override returns (uint256) {
        return block.number;
    }

    function _rate() internal view override returns (uint256) {
        return sushiPerBlock;
    }
}

contract MiniChefV2Double is ChefCore {
    uint256 public immutable sushiPerSecond;

    constructor(TokenCore sushi, uint256 perSecond) ChefCore(sushi) {
        sushiPerSecond = perSecond;
    }

    function poolInfo(uint256 pid) external view returns (uint128 accSushiPerShare, uint64 lastRewardTime, uint64 allocPoint) {
        return (pools[pid].accSushiPerShare, pools[pid].last, pools[pid].allocPoint);
    }

    function _clock() internal view override returns (uint256) {
        return block.timestamp;
    }

    function _rate() internal view override returns (uint256) {
        return sushiPerSecond;
    }
}

// Pays a second token by time to the stakers of one pool: at every move of their stake
// and at every harvest. What the chef pays does not matter to it.
contract RewarderByTimeDouble is IRewarderOfChef {
    uint256 private constant PRECISION = 1e12;

    TokenCore public immutable rewardToken;
    uint256 public immutable rewardPerSecond;
    ChefCore private immutable CHEF;
    uint256 private immutable PID;
    uint256 private accumulated;
    uint256 private last;
    mapping(address => uint256) private staked;
    mapping(address => uint256) private debt;

    constructor(TokenCore token, uint256 perSecond, ChefCore chef, uint256 pid) {
        rewardToken = token;
        rewardPerSecond = perSecond;
        CHEF = chef;
        PID = pid;
        last = block.timestamp;
    }

    function onSushiReward(uint256 pid, address user, address recipient, uint256, uint256 newLpAmount) external {
        require(msg.sender == address(CHEF) && pid == PID, "not the pool's chef");
        accumulated = _grown();
        last = block.timestamp;
        uint256 pending = staked[user] * accumulated / PRECISION - debt[user];
        staked[user] = newLpAmount;
        debt[user] = newLpAmount * accumulated / PRECISION;
        rewardToken.transfer(recipient, pending);
    }

    function pendingTokens(uint256, address user, uint256) external view returns (TokenCore[] memory tokens, uint256[] memory amounts) {
        tokens = new TokenCore[](1);
        amounts = new uint256[](1);
        tokens[0] = rewardToken;
        amounts[0] = staked[user] * _grown() / PRECISION - debt[user];
    }

    function _grown() private view returns (uint256) {
        uint256 supply = CHEF.lpToken(PID).balanceOf(address(CHEF));
        if (supply == 0) return accumulated;
        return accumulated + (block.timestamp - last) * rewardPerSecond * PRECISION / supply;
    }
}
