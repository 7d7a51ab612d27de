// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for a pair of Silo v2: its config, two silos with their shares, rate models and oracles; no package holds their
// bytecode. Views, interest and roundings are those of the real ones; the rate is set and does not depend on use, and
// limits, hooks, withdrawal, liquidation and the fees' receivers are left out.
pragma solidity ^0.8.30;

import { TokenCore } from "./Tokens.sol";

uint8 constant PROTECTED = 0;
uint8 constant COLLATERAL = 1;
uint8 constant DEBT = 2;

// Pays this much a year, of 10^18, of what is owed; not compounded within the time that one accrual covers.
contract SiloRateDouble {
    uint256 private immutable rate;

    constructor(uint256 rate_) {
        rate = rate_;
    }

    function getCurrentInterestRate(address, uint256) external view returns (uint256) {
        return rate;
    }

    function getCompoundInterestRate(address silo, uint256 timestamp) external view returns (uint256) {
        return (rate * (timestamp - SiloDouble(silo).accruedAt())) / 365 days;
    }
}

// Prices a token in another, with 18 decimals.
contract SiloOracleDouble {
    address private immutable base;
    uint256 private immutable price;

    constructor(address base_, uint256 price_) {
        (base, price) = (base_, price_);
    }

    function quote(uint256 amount, address token) external view returns (uint256) {
        require(token == base);
        return (amount * price) / 1e18;
    }
}

contract SiloShareDouble {
    address private silo;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function give(address account, uint256 shares) external {
        if (silo == address(0)) silo = msg.sender;
        require(msg.sender == silo);
        totalSupply += shares;
        balanceOf[account] += shares;
    }
}

contract SiloConfigDouble {
    struct ConfigData {
        uint256 daoFee;
        uint256 deployerFee;
        address silo;
        address token;
        address protectedShareToken;
        address collateralShareToken;
        address debtShareToken;
        address solvencyOracle;
        address maxLtvOracle;
        address interestRateModel;
        uint256 maxLtv;
        uint256 lt;
        uint256 liquidationTargetLtv;
        uint256 liquidationFee;
        uint256 flashloanFee;
        address hookReceiver;
        bool callBeforeQuote;
    }

    ConfigData[2] private configs;
    mapping(address => address) public borrowerCollateralSilo;

    function set(uint256 place, ConfigData calldata config) external {
        configs[place] = config;
    }

    function getSilos() external view returns (address, address) {
        return (configs[0].silo, configs[1].silo);
    }

    function getConfig(address silo) external view returns (ConfigData memory) {
        if (silo == configs[0].silo) return configs[0];
        require(silo == configs[1].silo, "WrongSilo");
        return configs[1];
    }

    function setOtherSiloAsCollateralSilo(address borrower) external {
        require(msg.sender == configs[0].silo || msg.sender == configs[1].silo);
        borrowerCollateralSilo[borrower] = msg.sender == configs[0].silo ? configs[1].silo : configs[0].silo;
    }
}

// Collateral that is lent to others is counted by its own token, as the real one does.
contract SiloDouble {
    uint256 private constant OFFSET = 1000;

    SiloConfigDouble private immutable config;
    uint256[3] private stored;
    uint256 public accruedAt = block.timestamp;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(SiloConfigDouble config_) {
        config = config_;
    }

    function ours() private view returns (SiloConfigDouble.ConfigData memory) {
        return config.getConfig(address(this));
    }

    function interest() private view returns (uint256) {
        return (stored[DEBT] * SiloRateDouble(ours().interestRateModel).getCompoundInterestRate(address(this), block.timestamp)) / 1e18;
    }

    function getDebtAssets() public view returns (uint256) {
        return stored[DEBT] + interest();
    }

    function getCollateralAssets() public view returns (uint256) {
        uint256 added = interest();
        uint256 fees = (added * (ours().daoFee + ours().deployerFee) + 1e18 - 1) / 1e18;
        return stored[COLLATERAL] + added - fees;
    }

    function accrueInterest() private {
        (stored[COLLATERAL], stored[DEBT]) = (getCollateralAssets(), getDebtAssets());
        accruedAt = block.timestamp;
    }

    function totals(uint8 kind) private view returns (uint256 assets, uint256 shares) {
        if (kind == COLLATERAL) return (getCollateralAssets(), totalSupply);
        if (kind == PROTECTED) return (stored[PROTECTED], SiloShareDouble(ours().protectedShareToken).totalSupply());
        return (getDebtAssets(), SiloShareDouble(ours().debtShareToken).totalSupply());
    }

    function previewRedeem(uint256 shares, uint8 kind) external view returns (uint256) {
        require(kind <= COLLATERAL);
        (uint256 assets, uint256 supply) = totals(kind);
        if (supply == 0) assets = 0;
        return (shares * (assets + 1)) / (supply + OFFSET);
    }

    function maxRepay(address borrower) public view returns (uint256) {
        (uint256 assets, uint256 supply) = totals(DEBT);
        if (supply == 0) return 0;
        return (SiloShareDouble(ours().debtShareToken).balanceOf(borrower) * assets + supply - 1) / supply;
    }

    function deposit(uint256 amount, uint8 kind) external {
        accrueInterest();
        (uint256 assets, uint256 supply) = totals(kind);
        if (supply == 0) assets = 0;
        uint256 shares = (amount * (supply + OFFSET)) / (assets + 1);
        stored[kind] += amount;
        if (kind == COLLATERAL) {
            totalSupply += shares;
            balanceOf[msg.sender] += shares;
        } else {
            SiloShareDouble(ours().protectedShareToken).give(msg.sender, shares);
        }
        TokenCore(ours().token).transferFrom(msg.sender, address(this), amount);
    }

    function borrow(uint256 amount) external {
        accrueInterest();
        (uint256 assets, uint256 supply) = totals(DEBT);
        SiloShareDouble(ours().debtShareToken).give(msg.sender, supply == 0 ? amount : (amount * supply + assets - 1) / assets);
        stored[DEBT] += amount;
        config.setOtherSiloAsCollateralSilo(msg.sender);
        TokenCore(ours().token).transfer(msg.sender, amount);
    }
}
