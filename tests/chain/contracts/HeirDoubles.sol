// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for gauges, voters, escrows and distributors of Velodrome v1, Equalizer and Thena; no package holds their bytecode.
// Views, claims and roundings are those of the real ones; stakes are set, not transferred, and each token's rewards are
// paid at one rate. Checkpoints, votes and the minter are left out.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

contract HeirVoterDouble {
    address[] public pools;
    mapping(address => address) public gauges;
    address public _ve;

    function setEscrow(address escrow) external {
        _ve = escrow;
    }

    function length() external view returns (uint256) {
        return pools.length;
    }

    function addGauge(address pool, address gauge) external {
        pools.push(pool);
        gauges[pool] = gauge;
    }

    function claimRewards(ListedGaugeDouble[] calldata gauges_, address[][] calldata tokens) external {
        for (uint256 i = 0; i < gauges_.length; i++) gauges_[i].getReward(msg.sender, tokens[i]);
    }

    function claimRewards(ThenaGaugeDouble[] calldata gauges_) external {
        for (uint256 i = 0; i < gauges_.length; i++) gauges_[i].getReward(msg.sender);
    }
}

// Rewards of several tokens, shared by what stakes count as.
abstract contract RewardsDouble {
    struct Paid {
        uint256 rate;
        uint256 finish;
        uint256 updated;
        uint256 perToken;
    }

    address internal immutable _voter;
    uint256 public totalSupply;
    uint256 internal _weights;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) internal _weight;
    address[] internal _tokens;
    mapping(address => Paid) internal _paid;
    mapping(address => mapping(address => uint256)) internal _perTokenOf;
    mapping(address => mapping(address => uint256)) internal _owed;

    constructor(address voter) {
        _voter = voter;
    }

    // Counts as `weight` of all stakes, which a lock raises.
    function stakeFor(address account, uint256 amount, uint256 weight) external {
        for (uint256 i = 0; i < _tokens.length; i++) _settle(_tokens[i], account);
        balanceOf[account] += amount;
        totalSupply += amount;
        _weight[account] += weight;
        _weights += weight;
    }

    function unstakeFor(address account) external {
        for (uint256 i = 0; i < _tokens.length; i++) _settle(_tokens[i], account);
        totalSupply -= balanceOf[account];
        _weights -= _weight[account];
        (balanceOf[account], _weight[account]) = (0, 0);
    }

    // A week at so much a second, of which the contract has been given the tokens.
    function notify(address token, uint256 rate) external {
        if (_paid[token].updated == 0) _tokens.push(token);
        _paid[token] = Paid(rate, block.timestamp + 7 days, block.timestamp, _perToken(token));
    }

    function _perToken(address token) internal view returns (uint256) {
        Paid memory paid = _paid[token];
        if (_weights == 0 || paid.updated == 0) return paid.perToken;
        uint256 until = block.timestamp < paid.finish ? block.timestamp : paid.finish;
        return paid.perToken + (until - paid.updated) * paid.rate * 1e18 / _weights;
    }

    function _earned(address token, address account) internal view returns (uint256) {
        return _weight[account] * (_perToken(token) - _perTokenOf[token][account]) / 1e18 + _owed[token][account];
    }

    function _settle(address token, address account) private {
        Paid storage paid = _paid[token];
        _owed[token][account] = _earned(token, account);
        paid.perToken = _perTokenOf[token][account] = _perToken(token);
        paid.updated = block.timestamp < paid.finish ? block.timestamp : paid.finish;
    }

    function _pay(address token, address account) internal {
        _settle(token, account);
        uint256 amount = _owed[token][account];
        _owed[token][account] = 0;
        if (amount > 0) TokenCore(token).transfer(account, amount);
    }
}

abstract contract ListedGaugeDouble is RewardsDouble {
    address public immutable stake;

    constructor(address voter, address stake_) RewardsDouble(voter) {
        stake = stake_;
    }

    function rewardsListLength() external view returns (uint256) {
        return _tokens.length;
    }

    function earned(address token, address account) external view returns (uint256) {
        return _earned(token, account);
    }

    function periodFinish(address token) public view returns (uint256) {
        return _paid[token].finish;
    }

    function left(address token) external view returns (uint256) {
        uint256 finish = periodFinish(token);
        return block.timestamp < finish ? (finish - block.timestamp) * _paid[token].rate : 0;
    }

    function getReward(address account, address[] calldata tokens) external {
        require(msg.sender == account || msg.sender == _voter);
        for (uint256 i = 0; i < tokens.length; i++) _pay(tokens[i], account);
    }
}

contract VelodromeV1GaugeDouble is ListedGaugeDouble {
    constructor(address voter, address stake_) ListedGaugeDouble(voter, stake_) { }

    function rewards(uint256 index) external view returns (address) {
        return _tokens[index];
    }

    function derivedBalances(address account) external view returns (uint256) {
        return _weight[account];
    }

    function derivedSupply() external view returns (uint256) {
        return _weights;
    }
}

contract EqualizerGaugeDouble is ListedGaugeDouble {
    constructor(address voter, address stake_) ListedGaugeDouble(voter, stake_) { }

    function rewardTokens(uint256 index) external view returns (address) {
        return _tokens[index];
    }
}

contract ThenaGaugeDouble is RewardsDouble {
    address public immutable TOKEN;

    constructor(address voter, address token) RewardsDouble(voter) {
        TOKEN = token;
    }

    function rewardToken() public view returns (address) {
        return _tokens[0];
    }

    function rewardRate() external view returns (uint256) {
        return _paid[rewardToken()].rate;
    }

    function periodFinish() external view returns (uint256) {
        return _paid[rewardToken()].finish;
    }

    function earned(address account) external view returns (uint256) {
        return _earned(rewardToken(), account);
    }

    function getReward() external {
        _pay(rewardToken(), msg.sender);
    }

    function getReward(address account) external {
        require(msg.sender == _voter);
        _pay(rewardToken(), account);
    }
}

contract HeirEscrowDouble {
    struct LockedBalance {
        int128 amount;
        uint256 end;
    }

    TokenCore public immutable token;
    mapping(uint256 => LockedBalance) public locked;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256[]) private _held;

    constructor(TokenCore token_) {
        token = token_;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return _held[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return index < _held[owner].length ? _held[owner][index] : 0;
    }

    function lockFor(address owner, uint256 id, int128 amount, uint256 end) external {
        (ownerOf[id], locked[id]) = (owner, LockedBalance(amount, end));
        _held[owner].push(id);
    }

    function deposit_for(uint256 id, uint256 amount) external {
        require(locked[id].amount > 0 && locked[id].end > block.timestamp);
        token.transferFrom(msg.sender, address(this), amount);
        locked[id].amount += int128(uint128(amount));
    }
}

// Thena's pays the owner of a lock that is over; the others revert.
contract HeirDistributorDouble {
    HeirEscrowDouble private immutable _escrow;
    bool private immutable _paysOwner;
    mapping(uint256 => uint256) public claimable;

    constructor(HeirEscrowDouble escrow, bool paysOwner) {
        (_escrow, _paysOwner) = (escrow, paysOwner);
        escrow.token().approve(address(escrow), type(uint256).max);
    }

    function owe(uint256 id, uint256 amount) external {
        claimable[id] = amount;
    }

    function claim(uint256 id) public returns (uint256 amount) {
        amount = claimable[id];
        claimable[id] = 0;
        if (amount == 0) return 0;
        (, uint256 end) = _escrow.locked(id);
        if (_paysOwner && end < block.timestamp) _escrow.token().transfer(_escrow.ownerOf(id), amount);
        else _escrow.deposit_for(id, amount);
    }

    function claim_many(uint256[] calldata ids) external returns (bool) {
        for (uint256 i = 0; i < ids.length && ids[i] != 0; i++) claim(ids[i]);
        return true;
    }
}
