// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Velodrome v2's voter, gauges, escrow, distributor of rebases and minter; no package holds their bytecode.
// Views, claims and roundings are those of the real ones. Nobody votes; fees, bribes, transfers and managed
// locks are left out.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

uint256 constant WEEK = 7 days;

function weekOf(uint256 time) pure returns (uint256) {
    return time / WEEK * WEEK;
}

// The code behind all gauges (ERC-1167).
contract GaugeDouble {
    TokenCore public immutable rewardToken;
    address public immutable voter;
    address public stakingToken;
    uint256 public periodFinish;
    uint256 public rewardRate;
    uint256 public lastUpdateTime;
    uint256 public rewardPerTokenStored;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public userRewardPerTokenPaid;
    mapping(address => uint256) public rewards;

    error NotAuthorized();

    constructor(address voter_, TokenCore rewardToken_) {
        (voter, rewardToken) = (voter_, rewardToken_);
    }

    function initialize(address stakingToken_) external {
        require(msg.sender == voter && stakingToken == address(0));
        stakingToken = stakingToken_;
    }

    function lastTimeRewardApplicable() public view returns (uint256) {
        return block.timestamp < periodFinish ? block.timestamp : periodFinish;
    }

    function rewardPerToken() public view returns (uint256) {
        if (totalSupply == 0) return rewardPerTokenStored;
        return rewardPerTokenStored + (lastTimeRewardApplicable() - lastUpdateTime) * rewardRate * 1e18 / totalSupply;
    }

    function earned(address account) public view returns (uint256) {
        return balanceOf[account] * (rewardPerToken() - userRewardPerTokenPaid[account]) / 1e18 + rewards[account];
    }

    function deposit(uint256 amount) external {
        _settle(msg.sender);
        TokenCore(stakingToken).transferFrom(msg.sender, address(this), amount);
        totalSupply += amount;
        balanceOf[msg.sender] += amount;
    }

    function withdraw(uint256 amount) external {
        _settle(msg.sender);
        totalSupply -= amount;
        balanceOf[msg.sender] -= amount;
        TokenCore(stakingToken).transfer(msg.sender, amount);
    }

    function getReward(address account) external {
        if (msg.sender != account && msg.sender != voter) revert NotAuthorized();
        _settle(account);
        uint256 reward = rewards[account];
        if (reward == 0) return;
        rewards[account] = 0;
        rewardToken.transfer(account, reward);
    }

    // Until the end of the week; the real one takes the amount from the voter, this one has it already.
    function notifyRewardAmount(uint256 amount) external {
        require(msg.sender == voter);
        rewardPerTokenStored = rewardPerToken();
        uint256 left = weekOf(block.timestamp) + WEEK - block.timestamp;
        if (block.timestamp < periodFinish) amount += (periodFinish - block.timestamp) * rewardRate;
        rewardRate = amount / left;
        lastUpdateTime = block.timestamp;
        periodFinish = block.timestamp + left;
    }

    function _settle(address account) private {
        rewardPerTokenStored = rewardPerToken();
        lastUpdateTime = lastTimeRewardApplicable();
        rewards[account] = earned(account);
        userRewardPerTokenPaid[account] = rewardPerTokenStored;
    }
}

// Stands for a pool of another network: it has none of the functions that count stakes or positions.
contract RootGaugeDouble {
    uint256 public chainid = 1_000_000;
}

contract VoterDouble {
    GaugeDouble private immutable _gauge;
    address[] public pools;
    mapping(address => address) public gauges;
    mapping(address => address) public poolForGauge;
    mapping(address => bool) public isGauge;
    mapping(uint256 => uint256) public usedWeights;
    bool public isClosed;

    // The code of gauges.
    constructor(GaugeDouble gauge) {
        _gauge = gauge;
    }

    function length() external view returns (uint256) {
        return pools.length;
    }

    function createGauge(address pool) external {
        _create(pool);
    }

    // Gauges of so many pools that do not exist beyond their address, which is a number.
    function createGauges(uint256 first, uint256 count) external {
        for (uint256 i = first; i < first + count; i++) _create(address(uint160(0x9000 << 144 | i)));
    }

    function addGauge(address pool, address gauge) external {
        _add(pool, gauge);
    }

    function distribute(GaugeDouble gauge, uint256 amount) external {
        gauge.notifyRewardAmount(amount);
    }

    function claimRewards(GaugeDouble[] calldata gauges_) external {
        require(!isClosed);
        for (uint256 i = 0; i < gauges_.length; i++) gauges_[i].getReward(msg.sender);
    }

    // The real one cannot be closed: tests see what becomes of claims that cannot be made together.
    function close() external {
        isClosed = true;
    }

    function _create(address pool) private {
        GaugeDouble gauge = GaugeDouble(_clone());
        gauge.initialize(pool);
        _add(pool, address(gauge));
    }

    function _add(address pool, address gauge) private {
        require(gauges[pool] == address(0));
        pools.push(pool);
        gauges[pool] = gauge;
        poolForGauge[gauge] = pool;
        isGauge[gauge] = true;
    }

    function _clone() private returns (address clone) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", address(_gauge), hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly ("memory-safe") {
            clone := create(0, add(code, 32), mload(code))
        }
        require(clone != address(0));
    }
}

contract VotingEscrowDouble {
    struct LockedBalance {
        int128 amount;
        uint256 end;
        bool isPermanent;
    }

    struct Point {
        uint256 time;
        LockedBalance balance;
    }

    uint256 private constant MAXTIME = 4 * 365 days;
    TokenCore public immutable token;
    uint256 public tokenId;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(uint256 => uint256)) public ownerToNFTokenIdList;
    mapping(uint256 => LockedBalance) private _locked;
    mapping(uint256 => Point[]) private _history;

    constructor(TokenCore token_) {
        token = token_;
    }

    function locked(uint256 id) external view returns (LockedBalance memory) {
        return _locked[id];
    }

    // NORMAL: there are no managed locks here.
    function escrowType(uint256) external pure returns (uint8) {
        return 0;
    }

    function createLock(uint256 value, uint256 duration) external returns (uint256 id) {
        id = ++tokenId;
        ownerOf[id] = msg.sender;
        ownerToNFTokenIdList[msg.sender][balanceOf[msg.sender]++] = id;
        token.transferFrom(msg.sender, address(this), value);
        _set(id, LockedBalance(int128(uint128(value)), weekOf(block.timestamp + duration), false));
    }

    function lockPermanent(uint256 id) external {
        require(ownerOf[id] == msg.sender);
        _set(id, LockedBalance(_locked[id].amount, 0, true));
    }

    function depositFor(uint256 id, uint256 value) external {
        LockedBalance memory lock = _locked[id];
        require(lock.amount > 0 && (lock.isPermanent || lock.end > block.timestamp));
        token.transferFrom(msg.sender, address(this), value);
        _set(id, LockedBalance(lock.amount + int128(uint128(value)), lock.end, lock.isPermanent));
    }

    function firstPointOf(uint256 id) external view returns (uint256) {
        return _history[id].length == 0 ? 0 : _history[id][0].time;
    }

    // Votes: the whole of a permanent lock, and of others what is left of it over four years.
    function balanceOfNFTAt(uint256 id, uint256 time) public view returns (uint256) {
        for (uint256 i = _history[id].length; i > 0; i--) {
            Point memory point = _history[id][i - 1];
            if (point.time > time) continue;
            uint256 amount = uint128(point.balance.amount);
            if (point.balance.isPermanent) return amount;
            return point.balance.end > time ? amount / MAXTIME * (point.balance.end - time) : 0;
        }
        return 0;
    }

    // The real one adds slopes up, which gives the same sum.
    function totalSupplyAt(uint256 time) external view returns (uint256 total) {
        for (uint256 id = 1; id <= tokenId; id++) total += balanceOfNFTAt(id, time);
    }

    function _set(uint256 id, LockedBalance memory balance) private {
        _locked[id] = balance;
        _history[id].push(Point(block.timestamp, balance));
    }
}

contract RewardsDistributorDouble {
    VotingEscrowDouble public immutable ve;
    TokenCore public immutable token;
    MinterDouble public immutable minter;
    uint256 public immutable startTime;
    uint256 public lastTokenTime;
    uint256 public tokenLastBalance;
    mapping(uint256 => uint256) public tokensPerWeek;
    mapping(uint256 => uint256) public timeCursorOf;

    error NotMinter();
    error UpdatePeriod();

    constructor(VotingEscrowDouble ve_, MinterDouble minter_) {
        (ve, token, minter) = (ve_, ve_.token(), minter_);
        lastTokenTime = startTime = weekOf(block.timestamp);
        ve_.token().approve(address(ve_), type(uint256).max);
    }

    // Spreads what came since the last time over the seconds since then.
    function checkpointToken() external {
        if (msg.sender != address(minter)) revert NotMinter();
        uint256 balance = token.balanceOf(address(this));
        uint256 amount = balance - tokenLastBalance;
        (tokenLastBalance, lastTokenTime) = (balance, _spread(amount, lastTokenTime));
    }

    function claimable(uint256 id) external view returns (uint256 amount) {
        (amount,) = _claimable(id);
    }

    function claimMany(uint256[] calldata ids) external returns (bool) {
        for (uint256 i = 0; i < ids.length && ids[i] != 0; i++) claim(ids[i]);
        return true;
    }

    function claim(uint256 id) public returns (uint256) {
        if (minter.activePeriod() < weekOf(block.timestamp)) revert UpdatePeriod();
        (uint256 amount, uint256 cursor) = _claimable(id);
        timeCursorOf[id] = cursor;
        if (amount == 0) return 0;
        VotingEscrowDouble.LockedBalance memory lock = ve.locked(id);
        if (block.timestamp >= lock.end && !lock.isPermanent) token.transfer(ve.ownerOf(id), amount);
        else ve.depositFor(id, amount);
        tokenLastBalance -= amount;
        return amount;
    }

    function _spread(uint256 amount, uint256 from) private returns (uint256) {
        uint256 whole = block.timestamp - from;
        for (uint256 time = from; time < block.timestamp;) {
            uint256 next = weekOf(time) + WEEK;
            uint256 end = next < block.timestamp ? next : block.timestamp;
            tokensPerWeek[weekOf(time)] += amount * (end - time) / whole;
            time = end;
        }
        return block.timestamp;
    }

    // Of each whole week the lock's share of the votes at its last second.
    function _claimable(uint256 id) private view returns (uint256 amount, uint256 cursor) {
        cursor = timeCursorOf[id];
        uint256 first = ve.firstPointOf(id);
        if (first == 0) return (0, cursor);
        if (cursor == 0) cursor = weekOf(first);
        if (cursor < startTime) cursor = startTime;
        for (; cursor < weekOf(lastTokenTime); cursor += WEEK) {
            uint256 supply = ve.totalSupplyAt(cursor + WEEK - 1);
            uint256 votes = ve.balanceOfNFTAt(id, cursor + WEEK - 1);
            amount += votes * tokensPerWeek[cursor] / (supply == 0 ? 1 : supply);
        }
    }
}

contract MinterDouble {
    uint256 public activePeriod;

    function updatePeriod(RewardsDistributorDouble distributor) external {
        activePeriod = weekOf(block.timestamp);
        distributor.checkpointToken();
    }
}
