// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for chefs that no package holds: Stargate's LPStakingTime, Trader Joe's and Alien Base's with
// bonuses, PancakeSwap's MasterChefV3, Beethoven X' with a rewarder. Public ABI, what is paid and when, as on the real chains; tokens
// are put into them beforehand instead of being minted or harvested from another chef.
pragma solidity ^0.8.30;

import "./Tokens.sol";

abstract contract TimedChefCore {
    struct UserInfo {
        uint256 amount;
        uint256 rewardDebt;
    }

    struct PoolInfo {
        TokenCore lpToken;
        uint256 allocPoint;
        uint256 lastRewardTime;
        uint256 accPerShare;
    }

    uint256 private constant PRECISION = 1e12;

    TokenCore internal immutable REWARD;
    uint256 internal immutable PER_SECOND;
    PoolInfo[] public poolInfo;
    mapping(uint256 => mapping(address => UserInfo)) public userInfo;
    uint256 public totalAllocPoint;

    constructor(TokenCore reward, uint256 perSecond) {
        REWARD = reward;
        PER_SECOND = perSecond;
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function add(uint256 allocPoint, TokenCore lpToken) external {
        totalAllocPoint += allocPoint;
        poolInfo.push(PoolInfo(lpToken, allocPoint, block.timestamp, 0));
    }

    function deposit(uint256 pid, uint256 amount) external {
        PoolInfo storage pool = poolInfo[pid];
        UserInfo storage user = userInfo[pid][msg.sender];
        (pool.accPerShare, pool.lastRewardTime) = (_grown(pid), block.timestamp);
        _pay(pid, msg.sender, _pending(pid, msg.sender));
        if (amount != 0) pool.lpToken.transferFrom(msg.sender, address(this), amount);
        user.amount += amount;
        user.rewardDebt = user.amount * pool.accPerShare / PRECISION;
    }

    function _pay(uint256 pid, address account, uint256 pending) internal virtual;

    function _pending(uint256 pid, address account) internal view returns (uint256) {
        UserInfo storage user = userInfo[pid][account];
        return user.amount * _grown(pid) / PRECISION - user.rewardDebt;
    }

    function _grown(uint256 pid) private view returns (uint256) {
        PoolInfo storage pool = poolInfo[pid];
        uint256 supply = pool.lpToken.balanceOf(address(this));
        if (supply == 0) return pool.accPerShare;
        uint256 reward = (block.timestamp - pool.lastRewardTime) * PER_SECOND * pool.allocPoint / totalAllocPoint;
        return pool.accPerShare + reward * PRECISION / supply;
    }
}

// Where it holds less than is pending, it pays what it holds.
contract LPStakingTimeDouble is TimedChefCore {
    constructor(TokenCore reward, uint256 perSecond) TimedChefCore(reward, perSecond) {}

    function eToken() external view returns (TokenCore) {
        return REWARD;
    }

    function eTokenPerSecond() external view returns (uint256) {
        return PER_SECOND;
    }

    function pendingEmissionToken(uint256 pid, address account) external view returns (uint256) {
        return _pending(pid, account);
    }

    function _pay(uint256, address account, uint256 pending) internal override {
        uint256 held = REWARD.balanceOf(address(this));
        REWARD.transfer(account, pending < held ? pending : held);
    }
}

// A pool's bonus, where it has one, is half of what is pending.
abstract contract BonusChefCore is TimedChefCore {
    mapping(uint256 => TokenDouble) internal bonuses;

    constructor(TokenCore reward, uint256 perSecond) TimedChefCore(reward, perSecond) {}

    function setBonus(uint256 pid, TokenDouble token) external {
        bonuses[pid] = token;
    }

    function _payBonus(uint256 pid, address account, uint256 pending) internal {
        if (address(bonuses[pid]) != address(0)) bonuses[pid].transfer(account, pending / 2);
    }
}

contract BonusChefDouble is BonusChefCore {
    constructor(TokenCore reward, uint256 perSecond) BonusChefCore(reward, perSecond) {}

    function JOE() external view returns (TokenCore) {
        return REWARD;
    }

    function pendingTokens(uint256 pid, address account) external view returns (
        uint256 pendingJoe, address bonusTokenAddress, string memory bonusTokenSymbol, uint256 pendingBonusToken
    ) {
        pendingJoe = _pending(pid, account);
        if (address(bonuses[pid]) != address(0)) {
            (bonusTokenAddress, bonusTokenSymbol, pendingBonusToken) = (address(bonuses[pid]), bonuses[pid].symbol(), pendingJoe / 2);
        }
    }

    function _pay(uint256 pid, address account, uint256 pending) internal override {
        REWARD.transfer(account, pending);
        _payBonus(pid, account, pending);
    }
}

// A pool may have an interval between two harvests. Before it is over, what is pending is put off.
contract ListsChefDouble is BonusChefCore {
    mapping(uint256 => uint256) public harvestInterval;
    mapping(uint256 => mapping(address => uint256)) private nextHarvestUntil;
    mapping(uint256 => mapping(address => uint256)) private lockedUp;

    constructor(TokenCore reward, uint256 perSecond) BonusChefCore(reward, perSecond) {}

    function alb() external view returns (TokenCore) {
        return REWARD;
    }

    function setInterval(uint256 pid, uint256 interval) external {
        harvestInterval[pid] = interval;
    }

    function canHarvest(uint256 pid, address account) public view returns (bool) {
        return block.timestamp >= nextHarvestUntil[pid][account];
    }

    function pendingTokens(uint256 pid, address account) external view returns (
        address[] memory addresses, string[] memory symbols, uint256[] memory decimals, uint256[] memory amounts
    ) {
        uint256 count = address(bonuses[pid]) == address(0) ? 1 : 2;
        addresses = new address[](count);
        symbols = new string[](count);
        decimals = new uint256[](count);
        amounts = new uint256[](count);
        uint256 pending = _pending(pid, account);
        (addresses[0], symbols[0], decimals[0], amounts[0]) = (address(REWARD), "ALB", 18, pending + lockedUp[pid][account]);
        if (count == 2) {
            (addresses[1], symbols[1], decimals[1], amounts[1]) = (address(bonuses[pid]), bonuses[pid].symbol(), 18, pending / 2);
        }
    }

    function _pay(uint256 pid, address account, uint256 pending) internal override {
        if (nextHarvestUntil[pid][account] == 0) nextHarvestUntil[pid][account] = block.timestamp + harvestInterval[pid];
        if (canHarvest(pid, account)) {
            REWARD.transfer(account, pending + lockedUp[pid][account]);
            lockedUp[pid][account] = 0;
            nextHarvestUntil[pid][account] = block.timestamp + harvestInterval[pid];
        } else {
            lockedUp[pid][account] += pending;
        }
        _payBonus(pid, account, pending);
    }
}

// Positions of one pool, whose rewards grow by their liquidity. As on the real chains, the view of what is
// pending is that of the last move of any of them.
contract PositionChefDouble {
    struct UserPositionInfo {
        uint128 liquidity;
        uint128 boostLiquidity;
        int24 tickLower;
        int24 tickUpper;
        uint256 rewardGrowthInside;
        uint256 reward;
        address user;
        uint256 pid;
        uint256 boostMultiplier;
    }

    struct PoolInfo {
        uint256 allocPoint;
        address v3Pool;
        address token0;
        address token1;
        uint24 fee;
        uint256 totalLiquidity;
        uint256 totalBoostLiquidity;
    }

    struct CollectParams {
        uint256 tokenId;
        address recipient;
        uint128 amount0Max;
        uint128 amount1Max;
    }

    error NotOwner();
    error NoLiquidity();

    uint256 private constant PRECISION = 1e18;

    TokenCore public immutable CAKE;
    uint256 private immutable PER_SECOND;
    mapping(uint256 => PoolInfo) public poolInfo;
    mapping(uint256 => UserPositionInfo) public userPositionInfos;
    mapping(address => uint256[]) private owned;
    mapping(uint256 => uint256[2]) private fees;
    uint256 private growth;
    uint256 private last;

    constructor(TokenCore cake, uint256 perSecond, address token0, address token1) {
        (CAKE, PER_SECOND) = (cake, perSecond);
        poolInfo[1] = PoolInfo(1, address(this), token0, token1, 500, 0, 0);
    }

    // It is the manager of its positions and their pool too, whose price is one.
    function nonfungiblePositionManager() external view returns (address) {
        return address(this);
    }

    function slot0() external pure returns (uint160, int24, uint16, uint16, uint16, uint32, bool) {
        return (1 << 96, 0, 0, 1, 1, 0, true);
    }

    function owe(uint256 tokenId, uint256 amount0, uint256 amount1) external {
        fees[tokenId] = [amount0, amount1];
    }

    function collect(CollectParams calldata params) external returns (uint256 amount0, uint256 amount1) {
        if (userPositionInfos[params.tokenId].user != msg.sender) revert NotOwner();
        (amount0, amount1) = (fees[params.tokenId][0], fees[params.tokenId][1]);
        delete fees[params.tokenId];
        TokenCore(poolInfo[1].token0).transfer(params.recipient, amount0);
        TokenCore(poolInfo[1].token1).transfer(params.recipient, amount1);
    }

    function give(address user, uint256 tokenId, uint128 liquidity) external {
        _grow();
        poolInfo[1].totalLiquidity += liquidity;
        userPositionInfos[tokenId] = UserPositionInfo(liquidity, liquidity, -60, 60, growth, 0, user, 1, 1);
        owned[user].push(tokenId);
    }

    function balanceOf(address user) external view returns (uint256) {
        return owned[user].length;
    }

    function tokenOfOwnerByIndex(address user, uint256 index) external view returns (uint256) {
        return owned[user][index];
    }

    function pendingCake(uint256 tokenId) public view returns (uint256) {
        UserPositionInfo storage position = userPositionInfos[tokenId];
        return (growth - position.rewardGrowthInside) * position.liquidity / PRECISION + position.reward;
    }

    function harvest(uint256 tokenId, address to) external returns (uint256 reward) {
        UserPositionInfo storage position = userPositionInfos[tokenId];
        if (position.user != msg.sender) revert NotOwner();
        if (position.liquidity == 0 && position.reward == 0) revert NoLiquidity();
        _grow();
        reward = pendingCake(tokenId);
        (position.rewardGrowthInside, position.reward) = (growth, 0);
        uint256 held = CAKE.balanceOf(address(this));
        CAKE.transfer(to, reward < held ? reward : held);
    }

    function _grow() private {
        uint256 total = poolInfo[1].totalLiquidity;
        if (total != 0) growth += (block.timestamp - last) * PER_SECOND * PRECISION / total;
        last = block.timestamp;
    }
}

// Counts blocks, keeps an eighth and a bit of the emission, and has rewarders that pay half as much in another token.
contract BeethovenxMasterChefDouble {
    struct UserInfo {
        uint256 amount;
        uint256 rewardDebt;
    }

    struct PoolInfo {
        uint256 allocPoint;
        uint256 lastRewardBlock;
        uint256 accBeetsPerShare;
    }

    uint256 private constant PRECISION = 1e12;
    uint256 public constant POOL_PERCENTAGE = 872; // Of 1,000.

    TokenCore public immutable beets;
    uint256 public beetsPerBlock;
    PoolInfo[] public poolInfo;
    TokenCore[] public lpTokens;
    BeetsRewarderDouble[] public rewarder;
    mapping(uint256 => mapping(address => UserInfo)) public userInfo;
    uint256 public totalAllocPoint;

    constructor(TokenCore beets_, uint256 perBlock) {
        (beets, beetsPerBlock) = (beets_, perBlock);
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function add(uint256 allocPoint, TokenCore lpToken, BeetsRewarderDouble rewarder_) external {
        totalAllocPoint += allocPoint;
        lpTokens.push(lpToken);
        rewarder.push(rewarder_);
        poolInfo.push(PoolInfo(allocPoint, block.number, 0));
    }

    function updateEmissionRate(uint256 perBlock) external {
        for (uint256 pid = 0; pid < poolInfo.length; pid++) _update(pid);
        beetsPerBlock = perBlock;
    }

    function pendingBeets(uint256 pid, address account) public view returns (uint256) {
        UserInfo storage user = userInfo[pid][account];
        return user.amount * _grown(pid) / PRECISION - user.rewardDebt;
    }

    function deposit(uint256 pid, uint256 amount, address to) external {
        _update(pid);
        UserInfo storage user = userInfo[pid][to];
        user.amount += amount;
        user.rewardDebt += amount * poolInfo[pid].accBeetsPerShare / PRECISION;
        lpTokens[pid].transferFrom(msg.sender, address(this), amount);
    }

    function harvest(uint256 pid, address to) external {
        uint256 pending = pendingBeets(pid, msg.sender);
        _update(pid);
        userInfo[pid][msg.sender].rewardDebt = userInfo[pid][msg.sender].amount * poolInfo[pid].accBeetsPerShare / PRECISION;
        if (pending != 0) beets.transfer(to, pending);
        if (address(rewarder[pid]) != address(0)) rewarder[pid].onBeetsReward(pid, msg.sender, to, pending, 0);
    }

    function _update(uint256 pid) private {
        (poolInfo[pid].accBeetsPerShare, poolInfo[pid].lastRewardBlock) = (_grown(pid), block.number);
    }

    function _grown(uint256 pid) private view returns (uint256) {
        PoolInfo storage pool = poolInfo[pid];
        uint256 supply = lpTokens[pid].balanceOf(address(this));
        if (supply == 0) return pool.accBeetsPerShare;
        uint256 reward = (block.number - pool.lastRewardBlock) * beetsPerBlock * pool.allocPoint / totalAllocPoint;
        return pool.accBeetsPerShare + reward * POOL_PERCENTAGE / 1000 * PRECISION / supply;
    }
}

contract BeetsRewarderDouble {
    TokenCore private immutable TOKEN;

    constructor(TokenCore token) {
        TOKEN = token;
    }

    function pendingTokens(uint256, address, uint256 amount) external view returns (TokenCore[] memory tokens, uint256[] memory amounts) {
        (tokens, amounts) = (new TokenCore[](1), new uint256[](1));
        (tokens[0], amounts[0]) = (TOKEN, amount / 2);
    }

    function onBeetsReward(uint256, address, address to, uint256 amount, uint256) external {
        TOKEN.transfer(to, amount / 2);
    }
}
