// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for Fluid's lending tokens, its factories and the resolvers that tell of vaults and pools; no package holds their
// bytecode. What resolvers return is laid out as the real ones lay it out; amounts, prices and rates are set.
pragma solidity ^0.8.30;

import { TokenDouble } from "./Tokens.sol";

contract FluidTokenDouble is TokenDouble {
    uint256 private constant PRECISION = 1e12;
    address public immutable asset;
    uint256 private immutable exchangePrice;

    constructor(address asset_, uint256 exchangePrice_) TokenDouble("Fluid USD Coin", "fUSDC", 6) {
        (asset, exchangePrice) = (asset_, exchangePrice_);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return (shares * exchangePrice) / PRECISION;
    }

    function redeem(uint256 shares, address receiver, address owner) external {
        require(owner == msg.sender, "not its owner");
        balanceOf[owner] -= shares;
        TokenDouble(asset).transfer(receiver, previewRedeem(shares));
    }
}

contract FluidLendingFactoryDouble {
    address[] private tokens;

    constructor(address[] memory tokens_) {
        tokens = tokens_;
    }

    function allTokens() external view returns (address[] memory) {
        return tokens;
    }
}

contract FluidVaultFactoryDouble {
    mapping(address => uint256[]) private owned;

    function mint(address owner, uint256 number) external {
        owned[owner].push(number);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return owned[owner][index];
    }
}

struct FluidUserPosition {
    uint256 nftId;
    address owner;
    bool isLiquidated;
    bool isSupplyPosition;
    int256 tick;
    uint256 tickId;
    uint256 beforeSupply;
    uint256 beforeBorrow;
    uint256 beforeDustBorrow;
    uint256 supply;
    uint256 borrow;
    uint256 dustBorrow;
}

struct FluidTokens {
    address token0;
    address token1;
}

struct FluidConstantViews {
    address liquidity;
    address factory;
    address operateImplementation;
    address adminImplementation;
    address secondaryImplementation;
    address deployer;
    address supply;
    address borrow;
    FluidTokens supplyToken;
    FluidTokens borrowToken;
    uint256 vaultId;
    uint256 vaultType;
    bytes32 supplyExchangePriceSlot;
    bytes32 borrowExchangePriceSlot;
    bytes32 userSupplySlot;
    bytes32 userBorrowSlot;
}

struct FluidConfigs {
    uint16 supplyRateMagnifier;
    uint16 borrowRateMagnifier;
    uint16 collateralFactor;
    uint16 liquidationThreshold;
    uint16 liquidationMaxLimit;
    uint16 withdrawalGap;
    uint16 liquidationPenalty;
    uint16 borrowFee;
    address oracle;
    uint256 oraclePriceOperate;
    uint256 oraclePriceLiquidate;
    address rebalancer;
    uint256 lastUpdateTimestamp;
}

struct FluidExchangePricesAndRates {
    uint256 lastStoredLiquiditySupplyExchangePrice;
    uint256 lastStoredLiquidityBorrowExchangePrice;
    uint256 lastStoredVaultSupplyExchangePrice;
    uint256 lastStoredVaultBorrowExchangePrice;
    uint256 liquiditySupplyExchangePrice;
    uint256 liquidityBorrowExchangePrice;
    uint256 vaultSupplyExchangePrice;
    uint256 vaultBorrowExchangePrice;
    uint256 supplyRateLiquidity;
    uint256 borrowRateLiquidity;
    int256 supplyRateVault;
    int256 borrowRateVault;
    int256 rewardsOrFeeRateSupply;
    int256 rewardsOrFeeRateBorrow;
}

struct FluidVaultData {
    address vault;
    bool isSmartCol;
    bool isSmartDebt;
    FluidConstantViews constantVariables;
    FluidConfigs configs;
    FluidExchangePricesAndRates exchangePricesAndRates;
    uint256[60] more; // Totals, limits, state and what the vault has in the layer below.
}

contract FluidVaultResolverDouble {
    address public immutable FACTORY;
    mapping(uint256 => FluidUserPosition) private positions;
    mapping(uint256 => FluidVaultData) private vaults;

    constructor(address factory) {
        FACTORY = factory;
    }

    // Where a pool is given its shares are both collateral and debt, else `supply` and `borrow` are the tokens.
    function set(uint256 number, uint256 supplied, uint256 owed, FluidTokens calldata tokens, address pool, uint16 threshold, uint256 price)
        external
    {
        FluidUserPosition storage position = positions[number];
        (position.nftId, position.tick, position.supply, position.borrow) = (number, -1, supplied, owed);
        FluidVaultData storage data = vaults[number];
        (data.vault, data.isSmartCol, data.isSmartDebt) = (address(uint160(number)), pool != address(0), pool != address(0));
        FluidConstantViews storage views = data.constantVariables;
        (views.supply, views.borrow, views.factory) = (pool, pool, FACTORY);
        views.supplyToken = pool == address(0) ? FluidTokens(tokens.token0, address(0)) : tokens;
        views.borrowToken = pool == address(0) ? FluidTokens(tokens.token1, address(0)) : tokens;
        (data.configs.liquidationThreshold, data.configs.oraclePriceLiquidate) = (threshold, price);
        (data.exchangePricesAndRates.supplyRateVault, data.exchangePricesAndRates.borrowRateVault) =
            pool == address(0) ? (int256(200), int256(500)) : (-int256(1), -int256(1));
    }

    function positionByNftId(uint256 number) external view returns (FluidUserPosition memory, FluidVaultData memory) {
        return (positions[number], vaults[number]);
    }
}

struct FluidShiftData {
    uint256 oldUpper;
    uint256 oldLower;
    uint256 duration;
    uint256 startTimestamp;
    uint256 oldTime;
}

struct FluidCenterPriceShift {
    uint256 shiftPercentage;
    uint256 duration;
    uint256 startTimestamp;
}

struct FluidShiftChanges {
    bool isRangeChangeActive;
    bool isThresholdChangeActive;
    bool isCenterPriceShiftActive;
    FluidShiftData rangeShift;
    FluidShiftData thresholdShift;
    FluidCenterPriceShift centerPriceShift;
}

struct FluidDexState {
    uint256 lastToLastStoredPrice;
    uint256 lastStoredPrice;
    uint256 centerPrice;
    uint256 lastUpdateTimestamp;
    uint256 lastPricesTimeDiff;
    uint256 oracleCheckPoint;
    uint256 oracleMapping;
    uint256 totalSupplyShares;
    uint256 totalBorrowShares;
    bool isSwapAndArbitragePaused;
    FluidShiftChanges shifts;
    uint256 token0PerSupplyShare;
    uint256 token1PerSupplyShare;
    uint256 token0PerBorrowShare;
    uint256 token1PerBorrowShare;
}

contract FluidDexResolverDouble {
    uint256 private asked;

    // Writes, as the real one may: whoever asks twice in one call sees other amounts.
    function getDexState(address) external returns (FluidDexState memory state) {
        asked += 1e18;
        (state.token0PerSupplyShare, state.token1PerSupplyShare) = (2 * asked, 3 * asked);
        (state.token0PerBorrowShare, state.token1PerBorrowShare) = (5 * asked, 7 * asked);
    }
}
