// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for stakes that no package holds: Camelot's NFTPool and its master, Trader Joe's staking of JOE,
// Polygon's manager of validators with their shares. Public ABI, what is paid and how it is rounded, as on
// the real chains; rewards are put into them beforehand.
pragma solidity ^0.8.30;

import "./Tokens.sol";

contract NFTPoolMasterDouble {
    address[] private pools;

    function add(address pool) external {
        pools.push(pool);
    }

    function poolsLength() external view returns (uint256) {
        return pools.length;
    }

    function getPoolAddressByIndex(uint256 index) external view returns (address) {
        return pools[index];
    }
}

contract NFTPoolDouble {
    struct StakingPosition {
        uint256 amount;
        uint256 startLockTime;
        uint256 lockDuration;
        uint256 rewardDebt;
    }

    uint256 private constant PRECISION = 1e18;
    uint256 public constant xGrailRewardsShare = 8000; // Of 10,000.
    bool public constant isUnlocked = false;

    TokenCore private immutable LP;
    TokenCore private immutable GRAIL;
    TokenCore private immutable X_GRAIL;
    uint256 private immutable PER_SECOND;
    mapping(uint256 => StakingPosition) private positions;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256[]) private owned;
    uint256 private lastTokenId;
    uint256 private supply;
    uint256 private accumulated;
    uint256 private last;

    constructor(TokenCore lp, TokenCore grail, TokenCore xGrail, uint256 perSecond) {
        (LP, GRAIL, X_GRAIL, PER_SECOND) = (lp, grail, xGrail, perSecond);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return owned[owner][index];
    }

    function getPoolInfo() external view returns (
        address lpToken, address grailToken, address xGrailToken, uint256 lastRewardTime, uint256 accRewardsPerShare,
        uint256 lpSupply, uint256 lpSupplyWithMultiplier, uint256 allocPoint
    ) {
        return (address(LP), address(GRAIL), address(X_GRAIL), last, accumulated, supply, supply, 1);
    }

    function getStakingPosition(uint256 tokenId) external view returns (
        uint256 amount, uint256 amountWithMultiplier, uint256 startLockTime, uint256 lockDuration, uint256 lockMultiplier,
        uint256 rewardDebt, uint256 boostPoints, uint256 totalMultiplier
    ) {
        StakingPosition storage position = positions[tokenId];
        return (position.amount, position.amount, position.startLockTime, position.lockDuration, 0, position.rewardDebt, 0, 0);
    }

    function createPosition(uint256 amount, uint256 lockDuration) external {
        (accumulated, last) = (_grown(), block.timestamp);
        LP.transferFrom(msg.sender, address(this), amount);
        supply += amount;
        uint256 tokenId = ++lastTokenId;
        positions[tokenId] = StakingPosition(amount, block.timestamp, lockDuration, amount * accumulated / PRECISION);
        ownerOf[tokenId] = msg.sender;
        owned[msg.sender].push(tokenId);
    }

    function pendingRewards(uint256 tokenId) public view returns (uint256) {
        StakingPosition storage position = positions[tokenId];
        return position.amount * _grown() / PRECISION - position.rewardDebt;
    }

    function harvestPosition(uint256 tokenId) external {
        require(ownerOf[tokenId] == msg.sender, "not the owner");
        uint256 pending = pendingRewards(tokenId);
        (accumulated, last) = (_grown(), block.timestamp);
        positions[tokenId].rewardDebt = positions[tokenId].amount * accumulated / PRECISION;
        uint256 restricted = pending * xGrailRewardsShare / 10_000;
        X_GRAIL.transfer(msg.sender, restricted);
        GRAIL.transfer(msg.sender, pending - restricted);
    }

    function _grown() private view returns (uint256) {
        return supply == 0 ? accumulated : accumulated + (block.timestamp - last) * PER_SECOND * PRECISION / supply;
    }
}

// What it holds more than before arrived for all stakes.
contract StableJoeStakingDouble {
    uint256 private constant PRECISION = 1e24;

    TokenCore public immutable joe;
    uint256 public internalJoeBalance;
    TokenCore[] public rewardTokens;
    mapping(address => uint256) private staked;
    mapping(address => mapping(TokenCore => uint256)) private debts;
    mapping(TokenCore => uint256) private accumulated;
    mapping(TokenCore => uint256) private lastBalance;

    constructor(TokenCore joe_, TokenCore[] memory tokens) {
        (joe, rewardTokens) = (joe_, tokens);
    }

    function rewardTokensLength() external view returns (uint256) {
        return rewardTokens.length;
    }

    function getUserInfo(address account, TokenCore token) external view returns (uint256, uint256) {
        return (staked[account], debts[account][token]);
    }

    function pendingReward(address account, TokenCore token) public view returns (uint256) {
        return staked[account] * _grown(token) / PRECISION - debts[account][token];
    }

    function deposit(uint256 amount) external {
        uint256 sum = staked[msg.sender] + amount;
        for (uint256 i = 0; i < rewardTokens.length; i++) {
            TokenCore token = rewardTokens[i];
            uint256 pending = pendingReward(msg.sender, token);
            accumulated[token] = _grown(token);
            debts[msg.sender][token] = sum * accumulated[token] / PRECISION;
            lastBalance[token] = _rewards(token) - pending;
            token.transfer(msg.sender, pending);
        }
        staked[msg.sender] = sum;
        internalJoeBalance += amount;
        if (amount != 0) joe.transferFrom(msg.sender, address(this), amount);
    }

    function _grown(TokenCore token) private view returns (uint256) {
        if (internalJoeBalance == 0) return accumulated[token];
        return accumulated[token] + (_rewards(token) - lastBalance[token]) * PRECISION / internalJoeBalance;
    }

    function _rewards(TokenCore token) private view returns (uint256) {
        uint256 held = token.balanceOf(address(this));
        return token == joe ? held - internalJoeBalance : held;
    }
}

contract StakeManagerDouble {
    struct Validator {
        uint256 amount;
        uint256 reward;
        uint256 activationEpoch;
        uint256 deactivationEpoch;
        uint256 jailTime;
        address signer;
        address contractAddress;
        uint8 status;
        uint256 commissionRate;
        uint256 lastCommissionUpdate;
        uint256 delegatorsReward;
        uint256 delegatedAmount;
        uint256 initialRewardPerStake;
    }

    uint256 public NFTCounter = 1;
    mapping(uint256 => Validator) public validators;

    function add(address signer, address shares) external {
        Validator storage validator = validators[NFTCounter++];
        (validator.signer, validator.contractAddress, validator.status) = (signer, shares, 1);
    }
}

// Shares are worth what was delegated, which is not slashed here; rewards are by share.
contract ValidatorShareDouble is TokenCore {
    uint256 private constant PRECISION = 1e25;
    uint256 private constant RATE = 1e29;

    TokenCore public immutable polToken;
    uint256 private perShare;
    mapping(address => uint256) private debts;

    constructor(TokenCore pol) {
        polToken = pol;
    }

    function buyVoucherPOL(uint256 amount, uint256) external {
        withdrawRewardsPOL();
        polToken.transferFrom(msg.sender, address(this), amount);
        balanceOf[msg.sender] += amount;
        totalSupply += amount;
    }

    function checkpoint(uint256 reward) external {
        polToken.transferFrom(msg.sender, address(this), reward);
        perShare += reward * PRECISION / totalSupply;
    }

    function getTotalStake(address account) external view returns (uint256, uint256) {
        return (balanceOf[account], RATE);
    }

    function getLiquidRewards(address account) public view returns (uint256) {
        return balanceOf[account] * (perShare - debts[account]) / PRECISION;
    }

    function withdrawRewardsPOL() public {
        uint256 rewards = getLiquidRewards(msg.sender);
        debts[msg.sender] = perShare;
        polToken.transfer(msg.sender, rewards);
    }
}
