// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Liquity v1, which no package holds: views, claims and roundings are those of
// the real contracts as long as no deposit is used up (one epoch, one scale). Hints,
// liquidations, redemptions, front ends and the recovery mode are left out; who may call
// what is not checked, since the build script is the only author.
pragma solidity ^0.8.30;

import "./Tokens.sol";

function pay(address to, uint256 amount) {
    (bool sent,) = to.call{value: amount}("");
    require(sent, "sending ETH failed");
}

contract PriceFeedDouble {
    uint256 public lastGoodPrice;
    uint256 private price;

    function set(uint256 price_) external {
        price = price_;
    }

    function fetchPrice() external returns (uint256) {
        lastGoodPrice = price;
        return price;
    }
}

contract TroveManagerDouble {
    uint256 public constant MCR = 1.1e18;
    uint256 private constant RESERVE = 200e18;

    TokenCore private debtToken;
    mapping(address => uint256) private debts;
    mapping(address => uint256) private collaterals;

    address public priceFeed;
    address public stabilityPool;
    address public lqtyToken;
    address public lqtyStaking;
    address public borrowerOperationsAddress;

    constructor(TokenCore debtToken_) {
        debtToken = debtToken_;
    }

    function setAddresses(address feed, address pool, address token, address staking, address operations) external {
        (priceFeed, stabilityPool, lqtyToken, lqtyStaking) = (feed, pool, token, staking);
        borrowerOperationsAddress = operations;
    }

    function lusdToken() external view returns (TokenCore) {
        return debtToken;
    }

    function open(uint256 borrowed) external payable {
        debts[msg.sender] += borrowed + RESERVE;
        collaterals[msg.sender] += msg.value;
        debtToken.mint(msg.sender, borrowed);
    }

    function close() external {
        uint256 collateral = collaterals[msg.sender];
        (debts[msg.sender], collaterals[msg.sender]) = (0, 0);
        pay(msg.sender, collateral);
    }

    function getEntireDebtAndColl(address borrower) external view returns (uint256, uint256, uint256, uint256) {
        return (debts[borrower], collaterals[borrower], 0, 0);
    }
}

contract StabilityPoolDouble {
    struct Snapshot {
        uint256 S;
        uint256 P;
        uint256 G;
    }

    TokenCore private debtToken;
    TokenCore private rewardToken;
    uint256 public getTotalLUSDDeposits;
    uint256 private P = 1e18;
    uint256 private S;
    uint256 private G;
    mapping(address => uint256) private deposits;
    mapping(address => Snapshot) private snapshots;

    constructor(TokenCore debtToken_, TokenCore rewardToken_) {
        (debtToken, rewardToken) = (debtToken_, rewardToken_);
    }

    function provideToSP(uint256 amount) external {
        uint256 kept = getCompoundedLUSDDeposit(msg.sender);
        _payGains();
        debtToken.transferFrom(msg.sender, address(this), amount);
        getTotalLUSDDeposits += amount;
        _deposit(kept + amount);
    }

    function withdrawFromSP(uint256 amount) external {
        require(deposits[msg.sender] > 0, "StabilityPool: User must have a non-zero deposit");
        uint256 kept = getCompoundedLUSDDeposit(msg.sender);
        _payGains();
        uint256 withdrawn = amount < kept ? amount : kept;
        getTotalLUSDDeposits -= withdrawn;
        debtToken.transfer(msg.sender, withdrawn);
        _deposit(kept - withdrawn);
    }

    // What the community issuance does: so much of the reward is shared by all deposits.
    function issue(uint256 amount) external {
        G += amount * 1e18 / getTotalLUSDDeposits * P;
    }

    // What a liquidation does: debt is paid off with deposits, which get the collateral.
    function offset(uint256 debt) external payable {
        uint256 total = getTotalLUSDDeposits;
        uint256 loss = debt * 1e18 / total + 1;
        S += msg.value * 1e18 / total * P;
        P = P * (1e18 - loss) / 1e18;
        getTotalLUSDDeposits = total - debt;
    }

    function getDepositorETHGain(address depositor) public view returns (uint256) {
        Snapshot memory at = snapshots[depositor];
        return at.P == 0 ? 0 : deposits[depositor] * (S - at.S) / at.P / 1e18;
    }

    function getDepositorLQTYGain(address depositor) public view returns (uint256) {
        Snapshot memory at = snapshots[depositor];
        return at.P == 0 ? 0 : deposits[depositor] * (G - at.G) / at.P / 1e18;
    }

    function getCompoundedLUSDDeposit(address depositor) public view returns (uint256) {
        Snapshot memory at = snapshots[depositor];
        return at.P == 0 ? 0 : deposits[depositor] * P / at.P;
    }

    function _payGains() private {
        uint256 gain = getDepositorETHGain(msg.sender);
        rewardToken.transfer(msg.sender, getDepositorLQTYGain(msg.sender));
        if (gain > 0) pay(msg.sender, gain);
    }

    function _deposit(uint256 amount) private {
        deposits[msg.sender] = amount;
        snapshots[msg.sender] = amount == 0 ? Snapshot(0, 0, 0) : Snapshot(S, P, G);
    }
}

contract LQTYStakingDouble {
    struct Snapshot {
        uint256 ETH;
        uint256 LUSD;
    }

    TokenCore private debtToken;
    TokenCore private staked;
    uint256 public totalLQTYStaked;
    uint256 private F_ETH;
    uint256 private F_LUSD;
    mapping(address => uint256) public stakes;
    mapping(address => Snapshot) private snapshots;

    constructor(TokenCore debtToken_, TokenCore staked_) {
        (debtToken, staked) = (debtToken_, staked_);
    }

    function stake(uint256 amount) external {
        _payGains();
        staked.transferFrom(msg.sender, address(this), amount);
        totalLQTYStaked += amount;
        stakes[msg.sender] += amount;
    }

    function unstake(uint256 amount) external {
        require(stakes[msg.sender] > 0, "LQTYStaking: User must have a non-zero stake");
        _payGains();
        uint256 withdrawn = amount < stakes[msg.sender] ? amount : stakes[msg.sender];
        totalLQTYStaked -= withdrawn;
        stakes[msg.sender] -= withdrawn;
        staked.transfer(msg.sender, withdrawn);
    }

    // What redemptions and new loans do: fees are shared by all stakes.
    function increase(uint256 fee) external payable {
        F_ETH += msg.value * 1e18 / totalLQTYStaked;
        F_LUSD += fee * 1e18 / totalLQTYStaked;
    }

    function getPendingETHGain(address user) public view returns (uint256) {
        return stakes[user] * (F_ETH - snapshots[user].ETH) / 1e18;
    }

    function getPendingLUSDGain(address user) public view returns (uint256) {
        return stakes[user] * (F_LUSD - snapshots[user].LUSD) / 1e18;
    }

    function _payGains() private {
        (uint256 native, uint256 fees) = (getPendingETHGain(msg.sender), getPendingLUSDGain(msg.sender));
        snapshots[msg.sender] = Snapshot(F_ETH, F_LUSD);
        debtToken.transfer(msg.sender, fees);
        if (native > 0) pay(msg.sender, native);
    }
}

contract CollSurplusPoolDouble {
    mapping(address => uint256) public getCollateral;

    function accountSurplus(address account) external payable {
        getCollateral[account] += msg.value;
    }

    function claimColl(address account) external {
        uint256 amount = getCollateral[account];
        require(amount > 0, "CollSurplusPool: No collateral available to claim");
        getCollateral[account] = 0;
        pay(account, amount);
    }
}

contract BorrowerOperationsDouble {
    CollSurplusPoolDouble private surplus;

    constructor(CollSurplusPoolDouble surplus_) {
        surplus = surplus_;
    }

    function claimCollateral() external {
        surplus.claimColl(msg.sender);
    }
}
