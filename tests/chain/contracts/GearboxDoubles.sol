// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Gearbox' provider of addresses, a configurator with its register, a pool, a credit manager with its
// accounts, and the reader of credit accounts, written from their interfaces; no package holds their bytecode.
// Interest, fees and prices are set; quotas, adapters, liquidations and checks of what an account may borrow are left
// out.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

contract GearboxProviderDouble {
    address private immutable compressor;

    constructor(address compressor_) {
        compressor = compressor_;
    }

    function getLatestPatchVersion(bytes32 key, uint256 minorVersion) external pure returns (uint256) {
        require(key == "GLOBAL::ACCOUNT_COMPRESSOR" && minorVersion == 310, "not of this version");
        return 311;
    }

    function getAddressOrRevert(bytes32 key, uint256 version) external view returns (address) {
        require(key == "GLOBAL::ACCOUNT_COMPRESSOR" && version == 311, "not found");
        return compressor;
    }
}

contract GearboxConfiguratorDouble {
    address[] private pools;
    address[] private managers;

    constructor(address[] memory pools_, address[] memory managers_) {
        (pools, managers) = (pools_, managers_);
    }

    function contractsRegister() external view returns (address) {
        return address(this);
    }

    function getPools() external view returns (address[] memory) {
        return pools;
    }

    function getCreditManagers() external view returns (address[] memory) {
        return managers;
    }
}

// Shares are worth what is in the pool and lent from it.
contract GearboxPoolDouble is TokenDouble {
    TokenDouble public immutable asset;
    uint256 private lent;

    constructor(TokenDouble asset_) TokenDouble("Gearbox USDC", "dUSDC", 6) {
        asset = asset_;
    }

    function deposit(uint256 assets, address receiver) external {
        require(totalSupply == 0, "one lender");
        asset.transferFrom(msg.sender, address(this), assets);
        this.mint(receiver, assets);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return (shares * (asset.balanceOf(address(this)) + lent)) / totalSupply;
    }

    function redeem(uint256 shares, address receiver, address owner) external {
        require(owner == msg.sender, "not its owner");
        uint256 assets = previewRedeem(shares);
        (balanceOf[owner], totalSupply) = (balanceOf[owner] - shares, totalSupply - shares);
        asset.transfer(receiver, assets);
    }

    function lend(address to, uint256 amount) external {
        lent += amount;
        asset.transfer(to, amount);
    }

    function repaid(uint256 amount) external {
        lent -= amount;
    }
}

contract GearboxAccountDouble {
    address public immutable creditManager = msg.sender;

    function move(TokenDouble token, address to, uint256 amount) external {
        require(msg.sender == creditManager, "not its manager");
        token.transfer(to, amount);
    }
}

struct GearboxDebt {
    address owner;
    uint256 debt;
    uint256 accruedInterest;
    uint256 accruedFees;
    uint256 enabledTokensMask;
}

contract GearboxManagerDouble {
    GearboxPoolDouble public immutable pool;
    TokenDouble public immutable underlying;
    address[] private tokens;
    mapping(address => uint256) public price;
    mapping(address => uint256) public threshold;
    address[] private accounts;
    mapping(address => GearboxDebt) public debtOf;

    constructor(GearboxPoolDouble pool_) {
        (pool, underlying) = (pool_, pool_.asset());
    }

    // A price in dollars with 18 decimals for a smallest unit, and a threshold of 10,000.
    function addToken(address token, uint256 price_, uint256 threshold_) external {
        tokens.push(token);
        (price[token], threshold[token]) = (price_, threshold_);
    }

    function openCreditAccount(address onBehalfOf) external {
        address account = address(new GearboxAccountDouble());
        accounts.push(account);
        debtOf[account] = GearboxDebt(onBehalfOf, 0, 0, 0, 1);
    }

    function addCollateral(uint256 place, TokenDouble token, uint256 amount, bool enabled) external {
        address account = accounts[place];
        token.transferFrom(msg.sender, account, amount);
        if (enabled) debtOf[account].enabledTokensMask |= maskOf(address(token));
    }

    function increaseDebt(uint256 place, uint256 amount) external {
        debtOf[accounts[place]].debt += amount;
        pool.lend(accounts[place], amount);
    }

    function accrue(uint256 place, uint256 interest, uint256 fees) external {
        GearboxDebt storage of_ = debtOf[accounts[place]];
        (of_.accruedInterest, of_.accruedFees) = (interest, fees);
    }

    // Repays all of it from what the account has, and sends the rest of a token to the owner.
    function closeDebt(uint256 place, TokenDouble token) external {
        GearboxDebt storage of_ = debtOf[accounts[place]];
        require(of_.owner == msg.sender, "not its owner");
        GearboxAccountDouble account = GearboxAccountDouble(accounts[place]);
        account.move(underlying, address(pool), of_.debt + of_.accruedInterest + of_.accruedFees);
        pool.repaid(of_.debt);
        (of_.debt, of_.accruedInterest, of_.accruedFees) = (0, 0, 0);
        account.move(token, msg.sender, token.balanceOf(address(account)));
    }

    function creditAccounts() external view returns (address[] memory) {
        return accounts;
    }

    function maskOf(address token) public view returns (uint256) {
        for (uint256 i = 0; i < tokens.length; i++) if (tokens[i] == token) return 1 << i;
        revert("not a collateral");
    }

    function collateralTokens() external view returns (address[] memory) {
        return tokens;
    }
}

struct GearboxManagerFilter {
    address[] configurators;
    address[] creditManagers;
    address[] pools;
    address underlying;
}

struct GearboxAccountFilter {
    address owner;
    bool includeZeroDebt;
    uint256 minHealthFactor;
    uint256 maxHealthFactor;
    bool reverting;
}

struct GearboxTokenInfo {
    address token;
    uint256 mask;
    uint256 balance;
    uint256 quota;
    bool success;
}

struct GearboxAccountData {
    address creditAccount;
    address creditManager;
    address creditFacade;
    address underlying;
    address owner;
    uint40 expirationDate;
    uint256 enabledTokensMask;
    uint256 debt;
    uint256 accruedInterest;
    uint256 accruedFees;
    uint256 totalDebtUSD;
    uint256 totalValueUSD;
    uint256 twvUSD;
    uint256 totalValue;
    uint256 healthFactor;
    bool success;
    GearboxTokenInfo[] tokens;
}

// Answers about the accounts of an owner, one at a call: then it says from where to go on.
contract GearboxCompressorDouble {
    function countCreditAccounts(GearboxManagerFilter calldata managers, GearboxAccountFilter calldata filter)
        external
        view
        returns (uint256 count)
    {
        GearboxManagerDouble manager = only(managers);
        address[] memory accounts = manager.creditAccounts();
        for (uint256 i = 0; i < accounts.length; i++) if (ownerOf(manager, accounts[i]) == filter.owner) count++;
    }

    function getCreditAccounts(
        GearboxManagerFilter calldata managers,
        GearboxAccountFilter calldata filter,
        uint256 offset
    ) external view returns (GearboxAccountData[] memory data, uint256 nextOffset) {
        require(filter.includeZeroDebt && !filter.reverting, "another filter");
        GearboxManagerDouble manager = only(managers);
        address[] memory accounts = manager.creditAccounts();
        for (uint256 i = offset; i < accounts.length; i++) {
            if (ownerOf(manager, accounts[i]) != filter.owner) continue;
            if (data.length == 1) return (data, i);
            data = new GearboxAccountData[](1);
            data[0] = accountData(manager, accounts[i]);
        }
    }

    function only(GearboxManagerFilter calldata filter) private view returns (GearboxManagerDouble) {
        require(filter.creditManagers.length + filter.pools.length == 0, "another filter");
        require(filter.underlying == address(0), "another filter");
        return GearboxManagerDouble(GearboxConfiguratorDouble(filter.configurators[0]).getCreditManagers()[0]);
    }

    function ownerOf(GearboxManagerDouble manager, address account) private view returns (address owner) {
        (owner,,,,) = manager.debtOf(account);
    }

    function accountData(GearboxManagerDouble manager, address account)
        private
        view
        returns (GearboxAccountData memory data)
    {
        (data.creditAccount, data.creditManager) = (account, address(manager));
        data.underlying = address(manager.underlying());
        (data.owner, data.debt, data.accruedInterest, data.accruedFees, data.enabledTokensMask) =
            manager.debtOf(account);
        data.totalDebtUSD = (data.debt + data.accruedInterest + data.accruedFees) * manager.price(data.underlying);
        address[] memory tokens = manager.collateralTokens();
        data.tokens = new GearboxTokenInfo[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 balance = TokenDouble(tokens[i]).balanceOf(account);
            data.tokens[i] = GearboxTokenInfo(tokens[i], 1 << i, balance, 0, true);
            uint256 value = balance * manager.price(tokens[i]);
            data.totalValueUSD += value;
            if (data.enabledTokensMask & (1 << i) != 0) data.twvUSD += (value * manager.threshold(tokens[i])) / 10_000;
        }
        data.healthFactor = data.totalDebtUSD == 0 ? type(uint256).max : (data.twvUSD * 1e18) / data.totalDebtUSD;
        data.success = true;
    }
}
