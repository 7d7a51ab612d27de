// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for stakes that no package holds: Camelot's NFTPool with its master and its factory, the NitroPool that takes
// its NFTs, Trader Joe's staking of JOE, Polygon's manager of validators with their shares. Public ABI, what is paid and how it is rounded, as on
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
    mapping(uint256 => address) private approved;
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

    function approve(address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == msg.sender, "not the owner");
        approved[tokenId] = to;
    }

    // Only to a contract, which has to take it. The owner gives its last one away.
    function safeTransferFrom(address from, address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == from && from == msg.sender, "not the owner");
        uint256[] storage left = owned[from];
        require(left[left.length - 1] == tokenId, "not the last");
        left.pop();
        owned[to].push(tokenId);
        (ownerOf[tokenId], approved[tokenId]) = (to, address(0));
        NitroPoolDouble(to).onERC721Received(msg.sender, from, tokenId, "");
    }

    function harvestPosition(uint256 tokenId) external {
        _harvest(tokenId, ownerOf[tokenId]);
    }

    function harvestPositionTo(uint256 tokenId, address to) external {
        require(ownerOf[tokenId].code.length != 0, "FORBIDDEN");
        _harvest(tokenId, to);
    }

    function _harvest(uint256 tokenId, address to) private {
        address owner = ownerOf[tokenId];
        require(owner == msg.sender || approved[tokenId] == msg.sender, "neither the owner nor approved");
        uint256 pending = pendingRewards(tokenId);
        (accumulated, last) = (_grown(), block.timestamp);
        positions[tokenId].rewardDebt = positions[tokenId].amount * accumulated / PRECISION;
        uint256 restricted = pending * xGrailRewardsShare / 10_000;
        X_GRAIL.transfer(to, restricted);
        GRAIL.transfer(to, pending - restricted);
        if (owner.code.length != 0) {
            require(NitroPoolDouble(owner).onNFTHarvest(msg.sender, to, tokenId, pending - restricted, restricted), "FORBIDDEN");
        }
    }

    function _grown() private view returns (uint256) {
        return supply == 0 ? accumulated : accumulated + (block.timestamp - last) * PER_SECOND * PRECISION / supply;
    }
}

contract NFTPoolFactoryDouble {
    address[] public pools;

    function add(address pool) external {
        pools.push(pool);
    }

    function poolsLength() external view returns (uint256) {
        return pools.length;
    }
}

contract NitroPoolFactoryDouble {
    address[] private published;

    function publish(address nitroPool) external {
        published.push(nitroPool);
    }

    function publishedNitroPoolsLength() external view returns (uint256) {
        return published.length;
    }

    function getPublishedNitroPool(uint256 index) external view returns (address) {
        return published[index];
    }
}

// Pays a token, and half as much of another one, in a second from the first deposit on.
contract NitroPoolDouble {
    struct RewardsToken {
        TokenCore token;
        uint256 amount;
        uint256 remainingAmount;
        uint256 accRewardsPerShare;
    }

    struct Settings {
        uint256 startTime;
        uint256 endTime;
        uint256 harvestStartTime;
        uint256 depositEndTime;
        uint256 lockDurationReq;
        uint256 lockEndReq;
        uint256 depositAmountReq;
        bool whitelist;
        string description;
    }

    uint256 private constant PRECISION = 1e18;

    NFTPoolDouble public immutable nftPool;
    address public immutable customReqContract = address(0);
    uint256 public immutable rewardsToken1PerSecond;
    uint256 public immutable rewardsToken2PerSecond;
    RewardsToken public rewardsToken1;
    RewardsToken public rewardsToken2;
    Settings public settings;
    uint256 public totalDepositAmount;
    uint256 private lastRewardTime;
    mapping(address => uint256) private deposited;
    mapping(address => uint256[2]) private debts;
    mapping(address => uint256[]) private ids;

    constructor(NFTPoolDouble pool, TokenCore first, TokenCore second, uint256 perSecond, uint256 endTime, uint256 harvestStartTime) {
        nftPool = pool;
        (rewardsToken1PerSecond, rewardsToken2PerSecond) = (perSecond, perSecond / 2);
        (rewardsToken1.token, rewardsToken2.token) = (first, second);
        settings = Settings(block.timestamp, endTime, harvestStartTime, 0, 0, 0, 0, false, "what it is for");
    }

    function userTokenIdsLength(address account) external view returns (uint256) {
        return ids[account].length;
    }

    function userTokenId(address account, uint256 index) external view returns (uint256) {
        return ids[account][index];
    }

    function pendingRewards(address account) public view returns (uint256 pending1, uint256 pending2) {
        (uint256 first, uint256 second) = _grown();
        pending1 = deposited[account] * first / PRECISION - debts[account][0];
        pending2 = deposited[account] * second / PRECISION - debts[account][1];
    }

    function onERC721Received(address, address from, uint256 tokenId, bytes calldata) external returns (bytes4) {
        require(msg.sender == address(nftPool), "invalid NFTPool");
        (uint256 amount,,,,,,,) = nftPool.getStakingPosition(tokenId);
        require(deposited[from] == 0, "a second deposit");
        _update();
        ids[from].push(tokenId);
        deposited[from] = amount;
        totalDepositAmount += amount;
        _settle(from);
        nftPool.approve(from, tokenId);
        return this.onERC721Received.selector;
    }

    // Whoever put the NFT in may send what its own pool pays wherever else.
    function onNFTHarvest(address operator, address to, uint256 tokenId, uint256, uint256) external view returns (bool) {
        bool isOperators = false;
        for (uint256 i = 0; i < ids[operator].length; i++) isOperators = isOperators || ids[operator][i] == tokenId;
        require(isOperators && to != address(this), "not allowed");
        return true;
    }

    function harvest() external {
        (uint256 pending1, uint256 pending2) = pendingRewards(msg.sender);
        _update();
        if (block.timestamp < settings.harvestStartTime) return; // The real one sets it aside, with the same outcome.
        _settle(msg.sender);
        rewardsToken1.token.transfer(msg.sender, pending1);
        rewardsToken2.token.transfer(msg.sender, pending2);
    }

    function _grown() private view returns (uint256 first, uint256 second) {
        (first, second) = (rewardsToken1.accRewardsPerShare, rewardsToken2.accRewardsPerShare);
        if (totalDepositAmount == 0) return (first, second);
        uint256 elapsed = block.timestamp - lastRewardTime;
        first += elapsed * rewardsToken1PerSecond * PRECISION / totalDepositAmount;
        second += elapsed * rewardsToken2PerSecond * PRECISION / totalDepositAmount;
    }

    function _update() private {
        (rewardsToken1.accRewardsPerShare, rewardsToken2.accRewardsPerShare) = _grown();
        lastRewardTime = block.timestamp;
    }

    function _settle(address account) private {
        debts[account] = [
            deposited[account] * rewardsToken1.accRewardsPerShare / PRECISION,
            deposited[account] * rewardsToken2.accRewardsPerShare / PRECISION
        ];
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
    uint256 public constant withdrawalDelay = 80;
    uint256 public epoch = 1;

    function setCurrentEpoch(uint256 epoch_) external {
        epoch = epoch_;
    }

    function add(address signer, address shares) external {
        Validator storage validator = validators[NFTCounter++];
        (validator.signer, validator.contractAddress, validator.status) = (signer, shares, 1);
    }
}

// Shares are worth what was delegated, which is not slashed here; rewards are by share.
contract ValidatorShareDouble is TokenCore {
    uint256 private constant PRECISION = 1e25;
    uint256 private constant RATE = 1e29;

    struct Unbond {
        uint256 shares;
        uint256 withdrawEpoch;
    }

    TokenCore public immutable polToken;
    StakeManagerDouble public immutable stakeManager;
    uint256 public constant withdrawExchangeRate = RATE;
    mapping(address => Unbond) public unbonds;
    mapping(address => uint256) public unbondNonces;
    mapping(address => mapping(uint256 => Unbond)) public unbonds_new;
    uint256 private perShare;
    mapping(address => uint256) private debts;

    constructor(TokenCore pol, StakeManagerDouble manager) {
        (polToken, stakeManager) = (pol, manager);
    }

    function buyVoucherPOL(uint256 amount, uint256) external {
        withdrawRewardsPOL();
        polToken.transferFrom(msg.sender, address(this), amount);
        balanceOf[msg.sender] += amount;
        totalSupply += amount;
    }

    function sellVoucher_newPOL(uint256 amount, uint256) external {
        withdrawRewardsPOL();
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
        unbonds_new[msg.sender][++unbondNonces[msg.sender]] = Unbond(amount, stakeManager.epoch());
    }

    function unstakeClaimTokens_newPOL(uint256 nonce) external {
        Unbond memory unbond = unbonds_new[msg.sender][nonce];
        bool isOver = unbond.withdrawEpoch + stakeManager.withdrawalDelay() <= stakeManager.epoch();
        require(isOver && unbond.shares > 0, "Incomplete withdrawal period");
        delete unbonds_new[msg.sender][nonce];
        polToken.transfer(msg.sender, unbond.shares);
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
