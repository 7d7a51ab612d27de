// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Magpie's and Penpie's masters with a lock, Equilibria's booster with its pools, minter and lock, Stake DAO's
// second vaults, and Convex' personal vaults; no package holds their bytecode. Views, parts that a lock keeps, roundings and
// claims are those of the real ones; how rewards come about is left out: whoever runs the chain says what is owed.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

contract TokenMasterDouble {
    uint256 private constant WAD = 1e18;

    struct Owed {
        uint256 staked;
        uint256 main;
        uint256[] bonus;
    }

    TokenDouble public immutable main;
    CooldownLockDouble public lock;
    bool public immutable locksMain; // As Magpie's does, but for pools that are excepted.
    address[] public registeredToken;
    mapping(address => bool) public MPGRewardPool;
    mapping(address => address[]) private bonusTokens;
    mapping(address => uint256) private sizes;
    mapping(address => mapping(address => Owed)) private owed;

    constructor(TokenDouble main_, bool locksMain_) {
        (main, locksMain) = (main_, locksMain_);
    }

    function setLock(CooldownLockDouble lock_) external {
        lock = lock_;
    }

    function add(address pool, address[] calldata bonus, bool isPaid) external {
        registeredToken.push(pool);
        bonusTokens[pool] = bonus;
        MPGRewardPool[pool] = isPaid;
    }

    function set(address pool, address user, uint256 staked, uint256 mainOwed, uint256[] calldata bonus) external {
        sizes[pool] = sizes[pool] + staked - owed[pool][user].staked;
        owed[pool][user] = Owed(staked, mainOwed, bonus);
    }

    function poolLength() external view returns (uint256) {
        return registeredToken.length;
    }

    function stakingInfo(address pool, address user) public view returns (uint256, uint256) {
        if (pool == address(lock)) return (lock.total(user), 0);
        return (owed[pool][user].staked, owed[pool][user].staked);
    }

    function unClaimedMgp(address pool, address user) external view returns (uint256) {
        return owed[pool][user].main;
    }

    function userInfo(address pool, address user) external view returns (uint256 staked, uint256, uint256 available, uint256) {
        (staked, available) = stakingInfo(pool, user);
        return (staked, 0, available, owed[pool][user].main);
    }

    function getPoolInfo(address pool) external view returns (uint256, uint256, uint256, uint256) {
        return (7, 1, sizes[pool], registeredToken.length);
    }

    function allPendingTokens(address pool, address user) external view returns (uint256, address[] memory tokens, string[] memory symbols, uint256[] memory amounts) {
        tokens = bonusTokens[pool];
        symbols = new string[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) symbols[i] = TokenDouble(tokens[i]).symbol();
        amounts = owed[pool][user].bonus;
        if (amounts.length == 0) amounts = new uint256[](tokens.length);
        return (owed[pool][user].main, tokens, symbols, amounts);
    }

    function multiclaim(address[] calldata pools) external {
        for (uint256 i = 0; i < pools.length; i++) claimFor(pools[i], msg.sender);
    }

    function claimFor(address pool, address user) public {
        require(msg.sender == user || msg.sender == address(lock), "forbidden");
        Owed memory found = owed[pool][user];
        delete owed[pool][user].main;
        delete owed[pool][user].bonus;
        bool isLock = pool == address(lock);
        uint256 part = isLock ? lock.getRewardablePercentWAD(user) : WAD;
        for (uint256 i = 0; i < found.bonus.length; i++) TokenDouble(bonusTokens[pool][i]).mint(user, paid(found.bonus[i], part));
        if (found.main == 0) return;
        if (isLock || !locksMain || MPGRewardPool[pool]) main.mint(user, paid(found.main, part));
        else lock.lockFor(found.main, user);
    }

    // A lock pays all where it would keep less than a thousandth.
    function paid(uint256 amount, uint256 part) private pure returns (uint256) {
        uint256 rest = (amount * part) / WAD;
        return amount - rest < amount / 1000 ? amount : rest;
    }
}

contract CooldownLockDouble {
    struct UserUnlocking {
        uint256 startTime;
        uint256 endTime;
        uint256 amountInCoolDown;
    }

    string public constant name = "Vote locked";
    string public constant symbol = "vl";
    uint8 public constant decimals = 18;
    TokenDouble public immutable token;
    TokenMasterDouble public immutable master;
    uint256 public immutable wait;
    mapping(address => uint256) public total;
    mapping(address => UserUnlocking[]) private slots;

    constructor(TokenMasterDouble master_, uint256 wait_) {
        (token, master, wait) = (master_.main(), master_, wait_);
    }

    function lockFor(uint256 amount, address user) external {
        token.mint(address(this), amount);
        total[user] += amount;
    }

    function startUnlock(uint256 amount) external {
        require(amount <= getUserTotalLocked(msg.sender), "not enough");
        slots[msg.sender].push(UserUnlocking(block.timestamp, block.timestamp + wait, amount));
    }

    function cancelUnlock(uint256 slot) external {
        slots[msg.sender][slot].amountInCoolDown = 0;
    }

    function unlock(uint256 slot) external {
        UserUnlocking storage it = slots[msg.sender][slot];
        require(it.endTime <= block.timestamp, "still in cooldown");
        require(it.amountInCoolDown != 0, "unlocked already");
        master.claimFor(address(this), msg.sender);
        uint256 amount = it.amountInCoolDown;
        it.amountInCoolDown = 0;
        total[msg.sender] -= amount;
        token.transfer(msg.sender, amount);
    }

    function getUserUnlockingSchedule(address user) external view returns (UserUnlocking[] memory) {
        return slots[user];
    }

    function getUserNthUnlockSlot(address user, uint256 slot) external view returns (uint256, uint256, uint256) {
        UserUnlocking storage it = slots[user][slot];
        return (it.startTime, it.endTime, it.amountInCoolDown);
    }

    function getUserTotalLocked(address user) public view returns (uint256 rest) {
        rest = total[user];
        for (uint256 i = 0; i < slots[user].length; i++) rest -= slots[user][i].amountInCoolDown;
    }

    function getRewardablePercentWAD(address user) external view returns (uint256 percent) {
        if (total[user] == 0) return 0;
        percent = (getUserTotalLocked(user) * 1e18) / total[user];
        for (uint256 i = 0; i < slots[user].length; i++) {
            UserUnlocking storage it = slots[user][i];
            if (it.amountInCoolDown == 0) continue;
            uint256 part = it.amountInCoolDown * 1e18;
            if (block.timestamp > it.endTime) part = (part * (it.endTime - it.startTime)) / (block.timestamp - it.startTime);
            percent += part / total[user];
        }
    }
}

contract MarketBoosterDouble {
    uint256 private constant WHOLE = 10_000;

    struct Pool {
        address market;
        address token;
        MarketPoolDouble rewardPool;
        bool shutdown;
    }

    Pool[] public poolInfo;
    TokenDouble public immutable pendle;
    TokenDouble public immutable eqb;
    TokenDouble public immutable xEqb;
    MarketPoolDouble public ePendleRewardPool;
    bool public isShutdown;
    uint256 public getFactor = 9_000;
    uint256 public farmEqbShare = 2_500;
    uint256 public left; // What the minter has left.

    constructor(TokenDouble pendle_, TokenDouble eqb_, TokenDouble xEqb_) {
        (pendle, eqb, xEqb) = (pendle_, eqb_, xEqb_);
    }

    // The booster is its own minter here.
    function eqbMinter() external view returns (address) {
        return address(this);
    }

    function addPool(address market, MarketPoolDouble pool) external {
        poolInfo.push(Pool(market, market, pool, false));
    }

    function setDerivative(MarketPoolDouble pool) external {
        ePendleRewardPool = pool;
    }

    function fill(uint256 amount) external {
        left = amount;
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function rewardClaimed(address account, address token, uint256 amount) external {
        if (token != address(pendle) || isShutdown) return;
        uint256 all = (amount * getFactor) / WHOLE;
        left -= all;
        uint256 paid = (all * farmEqbShare) / WHOLE;
        eqb.mint(account, paid);
        xEqb.mint(account, all - paid);
    }
}

contract MarketPoolDouble {
    MarketBoosterDouble public immutable booster;
    TokenDouble public immutable stakingToken;
    address[] private tokens;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public earned;
    mapping(address => uint256) private rates;

    address private constant PLATFORM = 0xeFEfeFEfeFeFEFEFEfefeFeFefEfEfEfeFEFEFEf;

    constructor(MarketBoosterDouble booster_, TokenDouble stakingToken_, address[] memory tokens_) {
        (booster, stakingToken, tokens) = (booster_, stakingToken_, tokens_);
    }

    function fund() external payable {}

    function set(address account, uint256 amount, uint256[] calldata owed) external {
        totalSupply = totalSupply + amount - balanceOf[account];
        balanceOf[account] = amount;
        for (uint256 i = 0; i < owed.length; i++) earned[account][tokens[i]] = owed[i];
    }

    function setRate(address token, uint256 rate) external {
        rates[token] = rate;
    }

    function rewards(address token) external view returns (uint256, uint256) {
        return (block.timestamp + 1, rates[token]);
    }

    function getRewardTokens() external view returns (address[] memory) {
        return tokens;
    }

    function getReward(address account) external {
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 amount = earned[account][tokens[i]];
            if (amount == 0) continue;
            earned[account][tokens[i]] = 0;
            if (tokens[i] == PLATFORM) payable(account).transfer(amount);
            else TokenDouble(tokens[i]).mint(account, amount);
            booster.rewardClaimed(account, tokens[i], amount);
        }
    }
}

contract WeeklyLockDouble {
    uint256 private constant WEEK = 7 days;

    TokenDouble public immutable token;
    address[] public rewardTokens;
    mapping(address => uint256) public lastClaimedWeek;
    mapping(address => uint256) private lastUnlockedWeek;
    mapping(address => mapping(uint256 => uint256)) private unlocks;
    mapping(address => mapping(address => uint256)) public earned;

    constructor(TokenDouble token_, address[] memory rewardTokens_) {
        (token, rewardTokens) = (token_, rewardTokens_);
    }

    function thisWeek() private view returns (uint256) {
        return (block.timestamp / WEEK) * WEEK;
    }

    function lock(uint256 amount, uint256 weeks_) external {
        token.mint(address(this), amount);
        unlocks[msg.sender][thisWeek() + (weeks_ + 1) * WEEK] += amount;
        if (lastUnlockedWeek[msg.sender] == 0) (lastUnlockedWeek[msg.sender], lastClaimedWeek[msg.sender]) = (thisWeek(), thisWeek());
    }

    function owe(address user, address reward, uint256 amount) external {
        earned[user][reward] = amount;
    }

    function getRewardTokensLength() external view returns (uint256) {
        return rewardTokens.length;
    }

    function getActiveLocks(address user) external view returns (uint256[2][] memory locks) {
        uint256 count = 0;
        for (uint256 i = 1; i <= 53; i++) if (unlocks[user][thisWeek() + i * WEEK] > 0) count++;
        locks = new uint256[2][](count);
        count = 0;
        for (uint256 i = 1; i <= 53; i++) {
            uint256 amount = unlocks[user][thisWeek() + i * WEEK];
            if (amount > 0) locks[count++] = [thisWeek() + i * WEEK, amount];
        }
    }

    function getUnlockable(address user) public view returns (uint256 amount) {
        if (lastUnlockedWeek[user] == 0) return 0;
        for (uint256 week = lastUnlockedWeek[user] + WEEK; week <= thisWeek(); week += WEEK) amount += unlocks[user][week];
    }

    function unlock() external {
        uint256 amount = getUnlockable(msg.sender);
        lastUnlockedWeek[msg.sender] = thisWeek();
        token.transfer(msg.sender, amount);
    }

    function getReward(address user) external {
        for (uint256 i = 0; i < rewardTokens.length; i++) {
            uint256 amount = earned[user][rewardTokens[i]];
            earned[user][rewardTokens[i]] = 0;
            TokenDouble(rewardTokens[i]).mint(user, amount);
        }
    }
}

// The controller, the factory of gauges and the accountant in one; the vaults are apart.
contract RewardAccountantDouble {
    struct Account {
        uint128 balance;
        uint256 integral;
        uint256 pendingRewards;
    }

    TokenDouble public immutable REWARD_TOKEN;
    address[] private gauges;
    mapping(address => RewardVaultDouble) public vault;
    mapping(address => mapping(address => Account)) public accounts;
    mapping(address => uint256) private integrals;
    mapping(address => uint256) public supplies;

    constructor(TokenDouble reward) {
        REWARD_TOKEN = reward;
    }

    function add(address gauge, RewardVaultDouble vault_) external {
        gauges.push(gauge);
        vault[gauge] = vault_;
    }

    function get_gauge_count() external view returns (uint256) {
        return gauges.length;
    }

    function get_gauge(uint256 place) external view returns (address) {
        return gauges[place];
    }

    function vaults(address of_) external view returns (uint256, uint128) {
        return (integrals[of_], uint128(supplies[of_]));
    }

    function deposit(RewardVaultDouble of_, address user, uint128 amount) external {
        settle(address(of_), user);
        accounts[address(of_)][user].balance += amount;
        supplies[address(of_)] += amount;
    }

    function withdraw(RewardVaultDouble of_, address user) external {
        settle(address(of_), user);
        supplies[address(of_)] -= accounts[address(of_)][user].balance;
        accounts[address(of_)][user].balance = 0;
    }

    function harvested(address of_, uint256 amount) external {
        integrals[of_] += (amount * 1e27) / supplies[of_];
    }

    function settle(address of_, address user) private {
        Account storage it = accounts[of_][user];
        it.pendingRewards += ((integrals[of_] - it.integral) * it.balance) / 1e27;
        it.integral = integrals[of_];
    }

    function claim(address[] calldata gauges_, bytes[] calldata harvestData) external {
        require(harvestData.length == 0, "harvests");
        uint256 sum = 0;
        for (uint256 i = 0; i < gauges_.length; i++) {
            address of_ = address(vault[gauges_[i]]);
            require(of_ != address(0), "no vault");
            settle(of_, msg.sender);
            sum += accounts[of_][msg.sender].pendingRewards;
            accounts[of_][msg.sender].pendingRewards = 0;
        }
        require(sum != 0, "no pending rewards");
        REWARD_TOKEN.mint(msg.sender, sum);
    }
}

contract RewardVaultDouble {
    RewardAccountantDouble public immutable accountant;
    TokenDouble public immutable asset;
    address[] private tokens;
    mapping(address => mapping(address => uint128)) public earned;

    constructor(RewardAccountantDouble accountant_, TokenDouble asset_, address[] memory tokens_) {
        (accountant, asset, tokens) = (accountant_, asset_, tokens_);
    }

    function owe(address account, address token, uint128 amount) external {
        earned[account][token] = amount;
    }

    function totalSupply() external view returns (uint256) {
        return accountant.supplies(address(this));
    }

    function getRewardTokens() external view returns (address[] memory) {
        return tokens;
    }

    function claim(address[] calldata tokens_, address receiver) external returns (uint256[] memory amounts) {
        amounts = new uint256[](tokens_.length);
        for (uint256 i = 0; i < tokens_.length; i++) {
            amounts[i] = earned[msg.sender][tokens_[i]];
            earned[msg.sender][tokens_[i]] = 0;
            TokenDouble(tokens_[i]).mint(receiver, amounts[i]);
        }
    }
}

contract VaultRegistryDouble {
    struct Pool {
        address implementation;
        address stakingAddress;
        address stakingToken;
        address rewards;
        uint8 active;
    }

    Pool[] public poolInfo;
    mapping(uint256 => mapping(address => PersonalVaultDouble)) public vaultMap;

    function addPool(address gauge, address token) external {
        poolInfo.push(Pool(address(this), gauge, token, address(this), 1));
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function createVault(uint256 pid, PersonalVaultDouble vault) external {
        vaultMap[pid][vault.owner()] = vault;
    }
}

contract PersonalVaultDouble {
    address public immutable owner;
    address[] private tokens;
    uint256[] private kept;

    constructor(address owner_, address[] memory tokens_, uint256[] memory kept_) {
        (owner, tokens, kept) = (owner_, tokens_, kept_);
    }

    // Changes state, as the real one does: it claims first.
    function earned() external returns (address[] memory, uint256[] memory) {
        emit Claimed();
        return (tokens, kept);
    }

    function getReward() external {
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 amount = kept[i];
            kept[i] = 0;
            TokenDouble(tokens[i]).mint(owner, amount);
        }
    }

    event Claimed();
}
