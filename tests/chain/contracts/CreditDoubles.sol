// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for contracts that no package holds, written from their interfaces: a hub and a spoke of Aave v4, ether.fi's contract
// of debts with what it asks about a Safe, Olympus' Cooler, USD.AI's vault with its queue, and what Symbiotic has beside its
// first vaults. Prices, indexes and rates are
// set; caps, roles, liquidations, delegations of votes and checks of what an account may borrow are left out.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

contract HubDouble {
    mapping(uint256 => uint256) public getAssetDrawnRate;

    function setDrawnRate(uint256 assetId, uint256 rateRay) external {
        getAssetDrawnRate[assetId] = rateRay;
    }
}

contract SpokeDouble {
    struct Reserve {
        address underlying;
        address hub;
        uint16 assetId;
        uint8 decimals;
        uint24 collateralRisk;
        uint8 flags;
        uint32 dynamicConfigKey;
    }

    struct UserPosition {
        uint120 drawnShares;
        uint120 premiumShares;
        int200 premiumOffsetRay;
        uint120 suppliedShares;
        uint32 dynamicConfigKey;
    }

    struct UserAccountData {
        uint256 riskPremium;
        uint256 avgCollateralFactor;
        uint256 healthFactor;
        uint256 totalCollateralValue;
        uint256 totalDebtValueRay;
        uint256 activeCollateralCount;
        uint256 borrowCount;
    }

    struct Market {
        uint256 supplyIndex;
        uint256 drawnIndex;
        uint256 price;
        uint256 factor;
    }

    uint256 private constant RAY = 1e27;
    Reserve[] private reserves;
    Market[] private markets;
    mapping(address => uint256) private riskPremium;
    mapping(uint256 => mapping(address => UserPosition)) private held;
    mapping(uint256 => mapping(address => bool)) private isCollateral;

    // The price is of a smallest unit, the factor of 10,000.
    function addReserve(address underlying, address hub, uint16 assetId, uint256 price, uint256 factor) external {
        reserves.push(Reserve(underlying, hub, assetId, TokenDouble(underlying).decimals(), 0, 7, 1));
        markets.push(Market(RAY, RAY, price, factor));
    }

    function accrue(uint256 reserveId, uint256 supplyIndex, uint256 drawnIndex) external {
        (markets[reserveId].supplyIndex, markets[reserveId].drawnIndex) = (supplyIndex, drawnIndex);
    }

    // Of 10,000; for what is borrowed after that.
    function setRiskPremium(address user, uint256 premium) external {
        riskPremium[user] = premium;
    }

    function setUsingAsCollateral(uint256 reserveId, bool usingAsCollateral, address onBehalfOf) external {
        isCollateral[reserveId][onBehalfOf] = usingAsCollateral;
    }

    function supply(uint256 reserveId, uint256 amount, address onBehalfOf) external {
        TokenCore(reserves[reserveId].underlying).transferFrom(msg.sender, address(this), amount);
        held[reserveId][onBehalfOf].suppliedShares += uint120((amount * RAY) / markets[reserveId].supplyIndex);
    }

    function withdraw(uint256 reserveId, uint256 amount, address onBehalfOf) external {
        require(msg.sender == onBehalfOf, "Unauthorized");
        uint256 all = getUserSuppliedAssets(reserveId, onBehalfOf);
        UserPosition storage position = held[reserveId][onBehalfOf];
        if (amount >= all) {
            (amount, position.suppliedShares) = (all, 0);
        } else {
            position.suppliedShares -= uint120((amount * RAY) / markets[reserveId].supplyIndex + 1);
        }
        TokenCore(reserves[reserveId].underlying).transfer(onBehalfOf, amount);
    }

    function borrow(uint256 reserveId, uint256 amount, address onBehalfOf) external {
        require(msg.sender == onBehalfOf, "Unauthorized");
        uint256 index = markets[reserveId].drawnIndex;
        uint256 drawn = (amount * RAY + index - 1) / index;
        uint256 premium = (drawn * riskPremium[onBehalfOf]) / 10_000;
        UserPosition storage position = held[reserveId][onBehalfOf];
        position.drawnShares += uint120(drawn);
        position.premiumShares += uint120(premium);
        position.premiumOffsetRay += int200(int256(premium * index));
        TokenCore(reserves[reserveId].underlying).transfer(onBehalfOf, amount);
    }

    function getReserveCount() external view returns (uint256) {
        return reserves.length;
    }

    function getReserve(uint256 reserveId) external view returns (Reserve memory) {
        return reserves[reserveId];
    }

    function getUserPosition(uint256 reserveId, address user) external view returns (UserPosition memory) {
        require(reserveId < reserves.length, "ReserveNotListed");
        return held[reserveId][user];
    }

    function getUserReserveStatus(uint256 reserveId, address user) external view returns (bool, bool) {
        return (isCollateral[reserveId][user], held[reserveId][user].drawnShares > 0);
    }

    function getUserSuppliedAssets(uint256 reserveId, address user) public view returns (uint256) {
        return (held[reserveId][user].suppliedShares * markets[reserveId].supplyIndex) / RAY;
    }

    function getUserTotalDebt(uint256 reserveId, address user) public view returns (uint256) {
        UserPosition memory position = held[reserveId][user];
        uint256 index = markets[reserveId].drawnIndex;
        uint256 premiumRay = uint256(int256(position.premiumShares * index) - position.premiumOffsetRay);
        return (position.drawnShares * index + RAY - 1) / RAY + (premiumRay + RAY - 1) / RAY;
    }

    function getUserAccountData(address user) external view returns (UserAccountData memory data) {
        uint256 debt;
        uint256 secured;
        for (uint256 i = 0; i < reserves.length; i++) {
            debt += getUserTotalDebt(i, user) * markets[i].price;
            if (!isCollateral[i][user]) continue;
            secured += (getUserSuppliedAssets(i, user) * markets[i].price * markets[i].factor) / 10_000;
        }
        data.healthFactor = debt == 0 ? type(uint256).max : (secured * 1e18) / debt;
    }
}

contract CashModuleDouble {
    mapping(address => bool) public usesLendGateway;
    mapping(address => mapping(address => uint256)) public pending;

    function migrate(address safe) external {
        usesLendGateway[safe] = true;
    }

    function requestWithdrawal(address token, uint256 amount) external {
        pending[msg.sender][token] = amount;
    }
}

contract CashProviderDouble {
    address public immutable getCashModule;
    mapping(address => bool) public isEtherFiSafe;

    constructor(address module) {
        getCashModule = module;
    }

    function addSafe(address safe) external {
        isEtherFiSafe[safe] = true;
    }
}

contract DebtManagerDouble {
    struct TokenData {
        address token;
        uint256 amount;
    }

    struct Terms {
        uint256 price;
        uint256 threshold;
    }

    uint256 private constant HUNDRED_PERCENT = 100e18;
    CashProviderDouble public immutable etherFiDataProvider;
    address[] private tokens;
    address[] private borrowed;
    mapping(address => Terms) private terms;
    mapping(address => uint64) public borrowApyPerSecond;
    mapping(address => mapping(address => uint256)) private principal;
    mapping(address => mapping(address => uint256)) private since;
    mapping(address => mapping(address => uint256)) private supplied;

    constructor(CashProviderDouble provider) {
        etherFiDataProvider = provider;
    }

    // Dollars with six decimals for a whole token; the threshold is of 100e18.
    function supportCollateralToken(address token, uint256 price, uint256 threshold) external {
        tokens.push(token);
        terms[token] = Terms(price, threshold);
    }

    function supportBorrowToken(address token, uint64 apy) external {
        borrowed.push(token);
        borrowApyPerSecond[token] = apy;
    }

    function supply(address user, address token, uint256 amount) external {
        TokenCore(token).transferFrom(msg.sender, address(this), amount);
        supplied[user][token] += amount;
    }

    function withdrawBorrowToken(address token, uint256 amount) external {
        supplied[msg.sender][token] -= amount;
        TokenCore(token).transfer(msg.sender, amount);
    }

    // Once for a token.
    function borrow(address token, uint256 dollars) external {
        require(etherFiDataProvider.isEtherFiSafe(msg.sender), "OnlyEtherFiSafe");
        (principal[msg.sender][token], since[msg.sender][token]) = (dollars, block.timestamp);
    }

    function borrowingOf(address user, address token) public view returns (uint256) {
        uint256 debt = principal[user][token];
        return debt + (debt * borrowApyPerSecond[token] * (block.timestamp - since[user][token])) / HUNDRED_PERCENT;
    }

    function borrowingOf(address user) public view returns (TokenData[] memory data, uint256 total) {
        data = _nonzero(borrowed, user, true);
        for (uint256 i = 0; i < data.length; i++) total += data[i].amount;
    }

    function supplierBalance(address supplier) external view returns (TokenData[] memory data, uint256 total) {
        data = _nonzero(borrowed, supplier, false);
        for (uint256 i = 0; i < data.length; i++) total += _dollars(data[i].token, data[i].amount);
    }

    function collateralOf(address user) public view returns (TokenData[] memory data, uint256 total) {
        CashModuleDouble module = CashModuleDouble(etherFiDataProvider.getCashModule());
        data = new TokenData[](tokens.length);
        uint256 count;
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 balance = TokenCore(tokens[i]).balanceOf(user);
            uint256 reserved = module.pending(user, tokens[i]);
            if (balance <= reserved) continue;
            data[count++] = TokenData(tokens[i], balance - reserved);
            total += _dollars(tokens[i], balance - reserved);
        }
        assembly ("memory-safe") {
            mstore(data, count)
        }
    }

    function getMaxBorrowAmount(address user, bool) external view returns (uint256 most) {
        (TokenData[] memory data,) = collateralOf(user);
        for (uint256 i = 0; i < data.length; i++) {
            most += (_dollars(data[i].token, data[i].amount) * terms[data[i].token].threshold) / HUNDRED_PERCENT;
        }
    }

    function convertUsdToCollateralToken(address token, uint256 dollars) external view returns (uint256) {
        return (dollars * 10 ** TokenDouble(token).decimals()) / terms[token].price;
    }

    function _dollars(address token, uint256 amount) private view returns (uint256) {
        return (amount * terms[token].price) / 10 ** TokenDouble(token).decimals();
    }

    function _nonzero(address[] storage list, address user, bool ofDebts) private view returns (TokenData[] memory data) {
        data = new TokenData[](list.length);
        uint256 count;
        for (uint256 i = 0; i < list.length; i++) {
            uint256 amount = ofDebts ? borrowingOf(user, list[i]) : supplied[user][list[i]];
            if (amount > 0) data[count++] = TokenData(list[i], amount);
        }
        assembly ("memory-safe") {
            mstore(data, count)
        }
    }
}

contract MonoCoolerDouble {
    struct AccountPosition {
        uint256 collateral;
        uint256 currentDebt;
        uint256 maxOriginationDebtAmount;
        uint256 liquidationDebtAmount;
        uint256 healthFactor;
        uint256 currentLtv;
        uint256 totalDelegated;
        uint256 numDelegateAddresses;
        uint256 maxDelegateAddresses;
    }

    TokenCore public immutable collateralToken;
    TokenCore public immutable debtToken;
    uint96 public interestRateWad;
    uint256 private liquidationLtv;
    uint256 private accumulator = 1e27;
    mapping(address => uint128) public accountCollateral;
    mapping(address => uint256) private scaledDebt;

    constructor(TokenCore collateral, TokenCore debt, uint96 rate, uint256 ltv) {
        (collateralToken, debtToken, interestRateWad, liquidationLtv) = (collateral, debt, rate, ltv);
    }

    function setAccumulator(uint256 ray) external {
        accumulator = ray;
    }

    function addCollateral(uint128 amount, address onBehalfOf) external {
        collateralToken.transferFrom(msg.sender, address(this), amount);
        accountCollateral[onBehalfOf] += amount;
    }

    function withdrawCollateral(uint128 amount, address recipient) external {
        accountCollateral[msg.sender] -= amount;
        collateralToken.transfer(recipient, amount);
    }

    function borrow(uint128 amount, address recipient) external {
        scaledDebt[msg.sender] += (uint256(amount) * 1e27) / accumulator;
        debtToken.transfer(recipient, amount);
    }

    function repay(uint128 amount, address onBehalfOf) external {
        debtToken.transferFrom(msg.sender, address(this), amount);
        scaledDebt[onBehalfOf] -= (uint256(amount) * 1e27) / accumulator;
    }

    function accountPosition(address account) external view returns (AccountPosition memory position) {
        position.collateral = accountCollateral[account];
        position.currentDebt = (scaledDebt[account] * accumulator) / 1e27;
        position.liquidationDebtAmount = (liquidationLtv * position.collateral) / 1e18;
        position.healthFactor = position.currentDebt == 0
            ? type(uint256).max
            : (liquidationLtv * position.collateral) / position.currentDebt;
        position.maxDelegateAddresses = 10;
    }
}

// Deposits come by minting; what the vault holds of its asset beside, its owner gives it.
contract RequestVaultDouble is TokenDouble {
    struct Redemption {
        uint256 prev;
        uint256 next;
        uint256 pendingShares;
        uint256 redeemableShares;
        uint256 withdrawableAmount;
        address controller;
        uint64 redemptionTimestamp;
    }

    TokenCore public immutable asset;
    uint256 public redemptionSharePrice = 1e18;
    uint256 private index;
    mapping(uint256 => Redemption) private redemptions;
    mapping(address => uint256[]) private ids;

    constructor(TokenCore asset_, string memory name_, string memory symbol_) TokenDouble(name_, symbol_, 18) {
        asset = asset_;
    }

    function setSharePrice(uint256 price) external {
        redemptionSharePrice = price;
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return (shares * redemptionSharePrice) / 1e18;
    }

    function requestRedeem(uint256 shares, address controller, address owner, uint64 end) external {
        require(owner == msg.sender, "InvalidCaller");
        balanceOf[owner] -= shares;
        totalSupply -= shares;
        ids[controller].push(++index);
        redemptions[index] = Redemption(index - 1, 0, shares, 0, 0, controller, end);
    }

    function serviceRedemption(uint256 id, uint256 shares) external {
        Redemption storage request = redemptions[id];
        require(request.redemptionTimestamp < block.timestamp, "InvalidRedemptionState");
        request.pendingShares -= shares;
        request.redeemableShares += shares;
        request.withdrawableAmount += (shares * redemptionSharePrice) / 1e18;
    }

    function redemptionIds(address controller) external view returns (uint256[] memory) {
        return ids[controller];
    }

    function redemption(uint256 id) external view returns (Redemption memory, uint256) {
        return (redemptions[id], 0);
    }

    function maxRedeem(address controller) public view returns (uint256 shares) {
        for (uint256 i = 0; i < ids[controller].length; i++) shares += redemptions[ids[controller][i]].redeemableShares;
    }

    // All of what is ready.
    function redeem(uint256 shares, address receiver, address controller) external returns (uint256 amount) {
        require(msg.sender == controller && shares == maxRedeem(controller), "InvalidRedemptionState");
        uint256[] storage listed = ids[controller];
        for (uint256 i = listed.length; i > 0; i--) {
            Redemption storage request = redemptions[listed[i - 1]];
            amount += request.withdrawableAmount;
            (request.redeemableShares, request.withdrawableAmount) = (0, 0);
            if (request.pendingShares > 0) continue;
            listed[i - 1] = listed[listed.length - 1];
            listed.pop();
        }
        asset.transfer(receiver, amount);
    }
}

contract RestakingSharesDouble is TokenDouble {
    uint64 public constant version = 3;
    TokenDouble public immutable asset;
    uint256 private immutable rate;

    constructor(TokenDouble asset_, uint256 rate_) TokenDouble("Restaked Dollars", "rUSDC", asset_.decimals()) {
        (asset, rate) = (asset_, rate_);
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return (shares * rate) / 1e18;
    }
}

contract DefaultCollateralDouble is TokenDouble {
    TokenDouble public immutable asset;

    constructor(TokenDouble asset_) TokenDouble("DefaultCollateral", "DC", asset_.decimals()) {
        asset = asset_;
    }
}
