// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for what Velodrome v2's voter knows beside gauges of stakes: gauges of concentrated pools, the pools and positions
// in them, and contracts that pay votes; no package holds their bytecode. Views, claims and whom they pay are those of
// the real ones. A pool's price and positions are set, and all liquidity is staked at once.
pragma solidity ^0.8.30;

import { GaugeDouble, VoterDouble, VotingEscrowDouble } from "./SolidlyDoubles.sol";
import { TokenCore } from "./Tokens.sol";

contract VotingVoterDouble is VoterDouble {
    VotingEscrowDouble public immutable ve;
    mapping(uint256 => address[]) public poolVote;
    mapping(address => address) public gaugeToFees;
    mapping(address => address) public gaugeToBribe;

    constructor(GaugeDouble gauge, VotingEscrowDouble ve_) VoterDouble(gauge) {
        ve = ve_;
    }

    function payVotes(address gauge, address fees, address bribe) external {
        (gaugeToFees[gauge], gaugeToBribe[gauge]) = (fees, bribe);
    }

    function vote(uint256 id, address[] calldata pools_) external {
        reset(id);
        (poolVote[id], usedWeights[id]) = (pools_, pools_.length);
        _checkpoint(id);
    }

    function reset(uint256 id) public {
        _checkpoint(id);
        delete poolVote[id];
        usedWeights[id] = 0;
    }

    // Both contracts of each pool that is voted for now keep the change.
    function _checkpoint(uint256 id) private {
        for (uint256 i = 0; i < poolVote[id].length; i++) {
            address gauge = gauges[poolVote[id][i]];
            VotingRewardDouble(gaugeToFees[gauge]).checkpoint(id);
            VotingRewardDouble(gaugeToBribe[gauge]).checkpoint(id);
        }
    }

    function claimFees(VotingRewardDouble[] calldata fees, address[][] calldata tokens, uint256 id) external {
        _claim(fees, tokens, id);
    }

    function claimBribes(VotingRewardDouble[] calldata bribes, address[][] calldata tokens, uint256 id) external {
        _claim(bribes, tokens, id);
    }

    function _claim(VotingRewardDouble[] calldata from, address[][] calldata tokens, uint256 id) private {
        require(msg.sender == ve.ownerOf(id));
        for (uint256 i = 0; i < from.length; i++) from[i].getReward(id, tokens[i]);
    }
}

contract VotingRewardDouble {
    VotingVoterDouble private immutable _voter;
    address[] public rewards;
    mapping(address => mapping(uint256 => uint256)) public earned;
    mapping(uint256 => uint256) public numCheckpoints;

    constructor(VotingVoterDouble voter, address[] memory tokens) {
        (_voter, rewards) = (voter, tokens);
    }

    function rewardsListLength() external view returns (uint256) {
        return rewards.length;
    }

    function checkpoint(uint256 id) external {
        require(msg.sender == address(_voter));
        numCheckpoints[id]++;
    }

    function owe(address token, uint256 id, uint256 amount) external {
        earned[token][id] = amount;
    }

    function getReward(uint256 id, address[] calldata tokens) external {
        address owner = _voter.ve().ownerOf(id);
        require(msg.sender == owner || msg.sender == address(_voter));
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 amount = earned[tokens[i]][id];
            earned[tokens[i]][id] = 0;
            if (amount > 0) TokenCore(tokens[i]).transfer(owner, amount);
        }
    }
}

contract ConcentratedPoolDouble {
    struct Slot0 {
        uint160 sqrtPriceX96;
        int24 tick;
        uint16 observationIndex;
        uint16 observationCardinality;
        uint16 observationCardinalityNext;
        bool unlocked;
    }

    Slot0 public slot0;
    uint128 public stakedLiquidity;

    function set(uint160 sqrtPriceX96, int24 tick, uint128 stakedLiquidity_) external {
        (slot0, stakedLiquidity) = (Slot0(sqrtPriceX96, tick, 0, 1, 1, true), stakedLiquidity_);
    }
}

contract PositionManagerDouble {
    struct Position {
        uint96 nonce;
        address operator;
        address token0;
        address token1;
        int24 tickSpacing;
        int24 tickLower;
        int24 tickUpper;
        uint128 liquidity;
        uint256 feeGrowthInside0LastX128;
        uint256 feeGrowthInside1LastX128;
        uint128 tokensOwed0;
        uint128 tokensOwed1;
    }

    struct CollectParams {
        uint256 tokenId;
        address recipient;
        uint128 amount0Max;
        uint128 amount1Max;
    }

    mapping(uint256 => Position) private _positions;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256[]) public tokenOfOwnerByIndex;
    address private _pool;

    // It is the factory of its one pool.
    function factory() external view returns (address) {
        return address(this);
    }

    function getPool(address, address, int24 tickSpacing) external view returns (address) {
        return tickSpacing == 200 ? _pool : address(0);
    }

    function setPool(address pool) external {
        _pool = pool;
    }

    function give(uint256 id, address owner) external {
        ownerOf[id] = owner;
        tokenOfOwnerByIndex[owner].push(id);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return tokenOfOwnerByIndex[owner].length;
    }

    function owe(uint256 id, uint128 amount0, uint128 amount1) external {
        (_positions[id].tokensOwed0, _positions[id].tokensOwed1) = (amount0, amount1);
    }

    function collect(CollectParams calldata params) external payable returns (uint256 amount0, uint256 amount1) {
        require(msg.sender == ownerOf[params.tokenId], "NA");
        Position storage position = _positions[params.tokenId];
        (amount0, amount1) = (position.tokensOwed0, position.tokensOwed1);
        (position.tokensOwed0, position.tokensOwed1) = (0, 0);
        if (amount0 > 0) TokenCore(position.token0).transfer(params.recipient, amount0);
        if (amount1 > 0) TokenCore(position.token1).transfer(params.recipient, amount1);
    }

    function set(uint256 id, address token0, address token1, int24 lower, int24 upper, uint128 liquidity) external {
        _positions[id] = Position(0, address(0), token0, token1, 200, lower, upper, liquidity, 0, 0, 0, 0);
    }

    function positions(uint256 id) external view returns (Position memory) {
        return _positions[id];
    }
}

contract CLGaugeDouble {
    address public immutable voter;
    PositionManagerDouble public immutable nft;
    ConcentratedPoolDouble public immutable pool;
    TokenCore public immutable rewardToken;
    address public immutable token0;
    address public immutable token1;
    uint256 public rewardRate;
    uint256 public periodFinish;
    mapping(uint256 => uint256) public rewards;
    mapping(uint256 => uint256) private _since;
    mapping(address => uint256[]) private _stakes;

    constructor(
        address voter_,
        PositionManagerDouble nft_,
        ConcentratedPoolDouble pool_,
        TokenCore rewardToken_,
        address token0_,
        address token1_
    ) {
        (voter, nft, pool, rewardToken) = (voter_, nft_, pool_, rewardToken_);
        (token0, token1) = (token0_, token1_);
    }

    function start(uint256 rate) external {
        (rewardRate, periodFinish) = (rate, block.timestamp + 7 days);
    }

    // What it had earned when it was last settled, as gauges that let liquidity grow keep it.
    function stakeFor(address depositor, uint256 id, uint256 settled) external {
        _stakes[depositor].push(id);
        (rewards[id], _since[id]) = (settled, block.timestamp);
    }

    function stakedLength(address depositor) external view returns (uint256) {
        return _stakes[depositor].length;
    }

    function stakedByIndex(address depositor, uint256 index) external view returns (uint256) {
        return _stakes[depositor][index];
    }

    function earned(address account, uint256 id) external view returns (uint256) {
        require(_has(account, id), "NA");
        return _earned(id);
    }

    function getReward(uint256 id) external {
        require(_has(msg.sender, id), "NA");
        _pay(id, msg.sender);
    }

    function getReward(address account) external {
        require(msg.sender == voter, "NV");
        for (uint256 i = 0; i < _stakes[account].length; i++) _pay(_stakes[account][i], account);
    }

    function _pay(uint256 id, address owner) private {
        uint256 amount = rewards[id] + _earned(id);
        (rewards[id], _since[id]) = (0, block.timestamp);
        if (amount > 0) rewardToken.transfer(owner, amount);
    }

    // A share of the rate by liquidity, in range.
    function _earned(uint256 id) private view returns (uint256) {
        PositionManagerDouble.Position memory position = nft.positions(id);
        (, int24 tick,,,,) = pool.slot0();
        if (tick < position.tickLower || tick >= position.tickUpper) return 0;
        return (block.timestamp - _since[id]) * rewardRate * position.liquidity / pool.stakedLiquidity();
    }

    function _has(address account, uint256 id) private view returns (bool found) {
        for (uint256 i = 0; i < _stakes[account].length; i++) found = found || _stakes[account][i] == id;
    }
}
