// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for River's app, which lists managers of troves and is the stability pool, and for these managers, written from
// their code; no package holds their bytecode. Interest, prices and gains are set; liquidations and redemptions are
// left out.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

contract ListedTroveManagerDouble {
    TokenDouble public immutable collateralToken;
    TokenDouble public immutable debtToken;
    uint256 public immutable MCR;
    uint256 public immutable interestRate;
    uint256 private immutable price;
    uint256 public lastPrice;
    uint256 private index = 1e27;
    mapping(address => uint256) private principal;
    mapping(address => uint256) private held;
    mapping(address => uint256) public surplusBalances;

    constructor(TokenDouble collateral, TokenDouble debt, uint256 ratio, uint256 rate, uint256 price_) {
        (collateralToken, debtToken, MCR, interestRate, price) = (collateral, debt, ratio, rate, price_);
    }

    function openTrove(uint256 collateral, uint256 debt) external {
        collateralToken.transferFrom(msg.sender, address(this), collateral);
        held[msg.sender] += collateral;
        principal[msg.sender] += (debt * 1e27) / index;
        debtToken.mint(msg.sender, debt);
    }

    // Redeems a trove by hand: what is left of its collateral can be claimed.
    function redeem(address borrower, uint256 left) external {
        (held[borrower], principal[borrower]) = (0, 0);
        surplusBalances[borrower] = left;
    }

    function accrue(uint256 index_) external {
        index = index_;
    }

    function getEntireDebtAndColl(address borrower) public view returns (uint256 debt, uint256 coll, uint256, uint256) {
        return ((principal[borrower] * index) / 1e27, held[borrower], 0, 0);
    }

    // Stores the price, as the real one does.
    function fetchPrice() external returns (uint256) {
        lastPrice = price;
        return price;
    }

    function closeTrove() external {
        (uint256 debt, uint256 coll,,) = getEntireDebtAndColl(msg.sender);
        debtToken.transferFrom(msg.sender, address(this), debt);
        (held[msg.sender], principal[msg.sender]) = (0, 0);
        collateralToken.transfer(msg.sender, coll);
    }

    function claimCollateral(address receiver) external {
        uint256 left = surplusBalances[msg.sender];
        require(left > 0, "No collateral available to claim");
        surplusBalances[msg.sender] = 0;
        collateralToken.transfer(receiver, left);
    }
}

contract TroveAppDouble {
    TokenDouble public immutable debtToken;
    address[] public troveManagers;
    TokenDouble[] public collateralTokens;
    uint256 public getTotalDebtTokenDeposits;
    mapping(address => uint128) private deposits;
    mapping(address => uint256) private used;
    mapping(address => mapping(uint256 => uint256)) public collateralGainsByDepositor;

    constructor(TokenDouble debt) {
        debtToken = debt;
    }

    function add(ListedTroveManagerDouble manager) external {
        troveManagers.push(address(manager));
        collateralTokens.push(manager.collateralToken());
    }

    function troveManagerCount() external view returns (uint256) {
        return troveManagers.length;
    }

    function provideToSP(uint128 amount) external {
        debtToken.transferFrom(msg.sender, address(this), amount);
        deposits[msg.sender] += amount;
        getTotalDebtTokenDeposits += amount;
    }

    // Pays for debts from a deposit, for collateral.
    function offset(address depositor, uint256 debt, uint256 place, uint256 collateral) external {
        used[depositor] += debt;
        getTotalDebtTokenDeposits -= debt;
        collateralGainsByDepositor[depositor][place] += collateral;
    }

    function accountDeposits(address depositor) external view returns (uint128 amount, uint128 timestamp) {
        return (deposits[depositor], 1);
    }

    function getCompoundedDebtDeposit(address depositor) public view returns (uint256) {
        return deposits[depositor] - used[depositor];
    }

    function getDepositorCollateralGain(address depositor) external view returns (uint256[] memory found) {
        found = new uint256[](collateralTokens.length);
        for (uint256 i = 0; i < found.length; i++) found[i] = collateralGainsByDepositor[depositor][i];
    }

    function withdrawFromSP(uint256 amount) external {
        uint256 left = getCompoundedDebtDeposit(msg.sender);
        if (amount > left) amount = left;
        (deposits[msg.sender], used[msg.sender]) = (uint128(left - amount), 0);
        getTotalDebtTokenDeposits -= amount;
        debtToken.transfer(msg.sender, amount);
    }

    function claimCollateralGains(address recipient, uint256[] calldata collateralIndexes) external {
        for (uint256 i = 0; i < collateralIndexes.length; i++) {
            uint256 gain = collateralGainsByDepositor[msg.sender][collateralIndexes[i]];
            collateralGainsByDepositor[msg.sender][collateralIndexes[i]] = 0;
            collateralTokens[collateralIndexes[i]].transfer(recipient, gain);
        }
    }
}
