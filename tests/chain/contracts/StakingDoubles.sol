// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Equilibria's receipts, MUX' router, ARPA's staking, stakefish's fee pool, LooksRare's and PlutusDAO's pools and locks, The Sandbox' pools
// and Ethos Reserve; no package holds their bytecode. Views, claims and what these refuse are those of the real ones; how
// rewards come about is left out: whoever runs the chain says what is owed.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

contract MuxRouterDouble {
    struct Account {
        uint256 mlp;
        uint256 mcb;
        uint256 mux;
        uint256 end;
        uint256[4] owed;
    }

    TokenDouble public immutable mlp;
    TokenDouble public immutable mcb;
    TokenDouble public immutable mux;
    TokenDouble public immutable weth;
    mapping(address => Account) private accounts;

    event Distributed();

    constructor(TokenDouble mlp_, TokenDouble mcb_, TokenDouble mux_, TokenDouble weth_) {
        (mlp, mcb, mux, weth) = (mlp_, mcb_, mux_, weth_);
    }

    function set(address account, uint256 mlp_, uint256 mcb_, uint256 mux_, uint256 end, uint256[4] calldata owed) external {
        accounts[account] = Account(mlp_, mcb_, mux_, end, owed);
    }

    function stakedMlpAmount(address account) external view returns (uint256) {
        return accounts[account].mlp;
    }

    function votingEscrowedAmounts(address account) external view returns (uint256, uint256) {
        return (accounts[account].mcb, accounts[account].mux);
    }

    function unlockTime(address account) external view returns (uint256) {
        return accounts[account].end;
    }

    function claimableRewards(address account) external returns (uint256, uint256, uint256, uint256, uint256) {
        emit Distributed();
        uint256[4] memory owed = accounts[account].owed;
        return (owed[0], owed[1], owed[2], owed[3], 0);
    }

    function pay(uint256 first) private {
        uint256[4] storage owed = accounts[msg.sender].owed;
        weth.mint(msg.sender, owed[first]);
        mux.mint(msg.sender, owed[first + 1]);
        (owed[first], owed[first + 1]) = (0, 0);
    }

    function claimFromMlp() external {
        pay(0);
    }

    function claimFromVe() external {
        pay(2);
    }

    function unstakeMcbAndMux() external {
        Account storage it = accounts[msg.sender];
        require(block.timestamp >= it.end, "The lock didn't expire");
        mcb.mint(msg.sender, it.mcb);
        mux.mint(msg.sender, it.mux);
        (it.mcb, it.mux, it.end) = (0, 0, 0);
    }
}

contract NodeStakingDouble {
    struct Frozen {
        uint96 amount;
        uint256 end;
    }

    TokenDouble public immutable getArpaToken;
    uint256 public getTotalStakedAmount;
    mapping(address => uint256) public getStake;
    mapping(address => uint256) public getBaseReward;
    mapping(address => uint256) public getDelegationReward;
    mapping(address => Frozen[]) private frozen;

    constructor(TokenDouble token) {
        getArpaToken = token;
    }

    function set(address staker, uint256 stake, uint256 base, uint256 delegated) external {
        getTotalStakedAmount = getTotalStakedAmount + stake - getStake[staker];
        (getStake[staker], getBaseReward[staker], getDelegationReward[staker]) = (stake, base, delegated);
    }

    function freeze(address staker, uint96 amount, uint256 end) external {
        frozen[staker].push(Frozen(amount, end));
    }

    function getFrozenPrincipal(address staker) external view returns (uint96[] memory amounts, uint256[] memory ends) {
        uint256 count = frozen[staker].length;
        (amounts, ends) = (new uint96[](count), new uint256[](count));
        for (uint256 i = 0; i < count; i++) (amounts[i], ends[i]) = (frozen[staker][i].amount, frozen[staker][i].end);
    }

    function getClaimablePrincipalAmount(address staker) public view returns (uint256 sum) {
        for (uint256 i = 0; i < frozen[staker].length && frozen[staker][i].end <= block.timestamp; i++) sum += frozen[staker][i].amount;
    }

    function claimReward() external {
        require(getDelegationReward[msg.sender] == 0, "no base reward for operators");
        getArpaToken.mint(msg.sender, getBaseReward[msg.sender]);
        getBaseReward[msg.sender] = 0;
    }

    function claimFrozenPrincipal() external {
        uint256 sum = getClaimablePrincipalAmount(msg.sender);
        Frozen[] memory all = frozen[msg.sender];
        delete frozen[msg.sender];
        for (uint256 i = 0; i < all.length; i++) if (all[i].end > block.timestamp) frozen[msg.sender].push(all[i]);
        getArpaToken.mint(msg.sender, sum);
    }
}

contract FeePoolDouble {
    mapping(address => uint256) private owed;
    mapping(address => uint256) private collected;

    function fund() external payable {}

    function owe(address depositor, uint256 amount) external {
        owed[depositor] = amount;
    }

    function pendingReward(address depositor) external view returns (uint256, uint256) {
        return (owed[depositor], collected[depositor]);
    }

    function collectReward(address payable beneficiary, uint256 amount) external {
        uint256 paid = amount == 0 ? owed[msg.sender] : amount;
        require(paid <= address(this).balance, "top up the contract");
        owed[msg.sender] -= paid;
        collected[msg.sender] += paid;
        beneficiary.transfer(paid);
    }
}

abstract contract HarvestPoolCore {
    mapping(address => uint256) internal stakes;
    mapping(address => uint256[]) internal owed;
    TokenDouble[] internal rewards;

    constructor(TokenDouble[] memory rewards_) {
        rewards = rewards_;
    }

    function set(address user, uint256 stake, uint256[] calldata owed_) external {
        (stakes[user], owed[user]) = (stake, owed_);
    }

    function harvest() external {
        uint256 sum = 0;
        for (uint256 i = 0; i < rewards.length; i++) {
            uint256 amount = owed[msg.sender][i];
            owed[msg.sender][i] = 0;
            rewards[i].mint(msg.sender, amount);
            sum += amount;
        }
        require(sum > 0, "Harvest: Pending rewards must be > 0");
    }
}

contract FeeSharingDouble is HarvestPoolCore {
    uint256 private constant GROWN = 3; // Halves that a share is worth.

    constructor(TokenDouble[] memory rewards_) HarvestPoolCore(rewards_) {}

    function userInfo(address user) external view returns (uint256, uint256, uint256) {
        return (stakes[user], 0, 0);
    }

    function calculateSharesValueInLOOKS(address user) external view returns (uint256) {
        return (stakes[user] * GROWN) / 2;
    }

    function calculatePendingRewards(address user) external view returns (uint256) {
        return owed[user].length == 0 ? 0 : owed[user][0];
    }
}

contract PlutusChefDouble is HarvestPoolCore {
    constructor(TokenDouble[] memory rewards_) HarvestPoolCore(rewards_) {}

    function userInfo(address user) external view returns (uint96, int128, int128) {
        return (uint96(stakes[user]), 0, 0);
    }

    function pendingRewards(address user) external view returns (uint256, uint256, uint256, uint256) {
        uint256[] storage it = owed[user];
        return it.length == 0 ? (0, 0, 0, 0) : (it[0], it[1], it[2], it[3]);
    }
}

contract EpochLockDouble {
    TokenDouble public immutable pls;
    bool public stakingWindowOpen;
    mapping(address => uint112) private amounts;

    constructor(TokenDouble pls_, bool isOpen) {
        (pls, stakingWindowOpen) = (pls_, isOpen);
    }

    function stakedDetails(address account) external view returns (uint112, uint32) {
        return (amounts[account], 0);
    }

    function stake(uint112 amount) external {
        amounts[msg.sender] += amount;
    }

    function unstake() external {
        require(stakingWindowOpen, "!Open");
        uint112 amount = amounts[msg.sender];
        require(amount > 0, "!Staked");
        amounts[msg.sender] = 0;
        pls.mint(msg.sender, amount);
    }
}

contract EarningPoolDouble {
    TokenDouble private immutable reward;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public earned;
    mapping(address => bool) private isEarly;

    constructor(TokenDouble reward_) {
        reward = reward_;
    }

    function set(address account, uint256 stake, uint256 owed, bool isEarly_) external {
        totalSupply = totalSupply + stake - balanceOf[account];
        (balanceOf[account], earned[account], isEarly[account]) = (stake, owed, isEarly_);
    }

    function getReward() external {
        require(!isEarly[msg.sender], "Cannot claim yet");
        reward.mint(msg.sender, earned[msg.sender]);
        earned[msg.sender] = 0;
    }
}

// The manager of troves, the configuration, the feed, the stability pool, the issuance and the staking in one.
contract CollateralTrovesDouble {
    struct Gaining {
        uint256 amount;
        uint256[] gains;
        uint256 extra; // OATH, or ERN of a stake.
    }

    TokenDouble public immutable lusdToken;
    TokenDouble public immutable lqtyToken;
    TokenDouble public immutable OathToken;
    address[] private collaterals;
    mapping(address => uint256) private prices;
    mapping(address => mapping(address => uint256[2])) private troves;
    mapping(address => Gaining) private deposits;
    mapping(address => Gaining) private staked;
    uint256 public getTotalLUSDDeposits;
    uint256 public totalLQTYStaked;

    event Fetched();

    constructor(TokenDouble ern, TokenDouble lqty, TokenDouble oath, address[] memory collaterals_) {
        (lusdToken, lqtyToken, OathToken, collaterals) = (ern, lqty, oath, collaterals_);
    }

    function collateralConfig() external view returns (address) {
        return address(this);
    }

    function stabilityPool() external view returns (address) {
        return address(this);
    }

    function lqtyStaking() external view returns (address) {
        return address(this);
    }

    function priceFeed() external view returns (address) {
        return address(this);
    }

    function communityIssuance() external view returns (address) {
        return address(this);
    }

    function getAllowedCollaterals() external view returns (address[] memory) {
        return collaterals;
    }

    function getCollateralDecimals(address collateral) external view returns (uint256) {
        return TokenDouble(collateral).decimals();
    }

    function getCollateralMCR(address) external pure returns (uint256) {
        return 12e17;
    }

    function setPrice(address collateral, uint256 price) external {
        prices[collateral] = price;
    }

    function fetchPrice(address collateral) external returns (uint256) {
        emit Fetched();
        return prices[collateral];
    }

    function open(address borrower, address collateral, uint256 debt, uint256 coll) external {
        troves[borrower][collateral] = [debt, coll];
    }

    function getEntireDebtAndColl(address borrower, address collateral) external view returns (uint256, uint256, uint256, uint256) {
        uint256[2] storage trove = troves[borrower][collateral];
        return (trove[0], trove[1], 0, 0);
    }

    function deposit(address depositor, uint256 amount, uint256[] calldata gains, uint256 oath) external {
        getTotalLUSDDeposits += amount;
        deposits[depositor] = Gaining(amount, gains, oath);
    }

    function stake(address user, uint256 amount, uint256[] calldata gains, uint256 ern) external {
        totalLQTYStaked += amount;
        staked[user] = Gaining(amount, gains, ern);
    }

    function getCompoundedLUSDDeposit(address depositor) external view returns (uint256) {
        return deposits[depositor].amount;
    }

    function getDepositorLQTYGain(address depositor) external view returns (uint256) {
        return deposits[depositor].extra;
    }

    function getDepositorCollateralGain(address depositor) external view returns (address[] memory, uint256[] memory) {
        return (collaterals, deposits[depositor].gains);
    }

    function stakes(address user) external view returns (uint256) {
        return staked[user].amount;
    }

    function getPendingLUSDGain(address user) external view returns (uint256) {
        return staked[user].extra;
    }

    function getPendingCollateralGain(address user) external view returns (address[] memory, uint256[] memory) {
        return (collaterals, staked[user].gains);
    }

    function withdrawFromSP(uint256 amount) external {
        require(amount == 0, "moves the deposit");
        pay(deposits[msg.sender], OathToken);
    }

    function unstake(uint256 amount) external {
        require(amount == 0, "moves the stake");
        pay(staked[msg.sender], lusdToken);
    }

    function pay(Gaining storage it, TokenDouble extra) private {
        require(it.amount > 0, "User must have a non-zero deposit");
        for (uint256 i = 0; i < it.gains.length; i++) {
            TokenDouble(collaterals[i]).mint(msg.sender, it.gains[i]);
            it.gains[i] = 0;
        }
        extra.mint(msg.sender, it.extra);
        it.extra = 0;
    }
}

// Receipts for EQB: a redemption pays a part that grows with the time that it takes.
contract ReceiptDouble is TokenDouble {
    struct Redemption {
        uint256 eqbAmount;
        uint256 xEqbAmount;
        uint256 endTime;
    }

    uint256 private constant WHOLE = 100;
    uint256 private constant LEAST = 50;
    uint256 private constant SHORTEST = 14 days;
    uint256 private constant LONGEST = 168 days;

    TokenDouble private immutable eqb;
    mapping(address => Redemption[]) private redemptions;

    constructor(TokenDouble eqb_) TokenDouble("xeqb", "XEQB", 18) {
        eqb = eqb_;
    }

    function redeem(uint256 amount, uint256 duration) external {
        require(duration >= SHORTEST, "redeem: duration too low");
        balanceOf[msg.sender] -= amount;
        balanceOf[address(this)] += amount;
        uint256 counted = duration > LONGEST ? LONGEST : duration;
        uint256 ratio = LEAST + ((counted - SHORTEST) * (WHOLE - LEAST)) / (LONGEST - SHORTEST);
        redemptions[msg.sender].push(Redemption((amount * ratio) / WHOLE, amount, block.timestamp + duration));
    }

    function getUserRedeemsLength(address account) external view returns (uint256) {
        return redemptions[account].length;
    }

    function getUserRedeem(address account, uint256 place) external view returns (uint256, uint256, uint256) {
        Redemption memory it = redemptions[account][place];
        return (it.eqbAmount, it.xEqbAmount, it.endTime);
    }

    // The last one takes its place.
    function finalizeRedeem(uint256 place) external {
        Redemption[] storage own = redemptions[msg.sender];
        require(block.timestamp >= own[place].endTime, "finalizeRedeem: vesting duration has not ended yet");
        eqb.mint(msg.sender, own[place].eqbAmount);
        balanceOf[address(this)] -= own[place].xEqbAmount;
        totalSupply -= own[place].xEqbAmount;
        own[place] = own[own.length - 1];
        own.pop();
    }
}
