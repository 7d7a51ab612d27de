// SPDX-License-Identifier: MIT OR Apache-2.0
// Stand for a market of Compound v3 and its rewards; no package holds their bytecode. Indices, views, claims and roundings
// are those of the real ones. Rates do not depend on use, prices are set, and limits, liquidation, transfers and reserves
// are left out.
pragma solidity ^0.8.30;

import { TokenCore, TokenDouble } from "./Tokens.sol";

contract CometDouble {
    struct AssetInfo {
        uint8 offset;
        address asset;
        address priceFeed;
        uint64 scale;
        uint64 borrowCollateralFactor;
        uint64 liquidateCollateralFactor;
        uint64 liquidationFactor;
        uint128 supplyCap;
    }

    struct UserBasic {
        int104 principal;
        uint64 baseTrackingIndex;
        uint64 baseTrackingAccrued;
    }

    struct UserCollateral {
        uint128 balance;
        uint128 reserved;
    }

    uint256 private constant BASE_INDEX_SCALE = 1e15;
    uint256 private constant TRACKING_INDEX_SCALE = 1e15;
    uint256 private constant FACTOR_SCALE = 1e18;
    uint256 public constant BASE_ACCRUAL_SCALE = 1e6;

    address public immutable baseToken;
    address public immutable baseTokenPriceFeed;
    uint256 public immutable baseScale;
    uint64 private immutable supplyRate;
    uint64 private immutable borrowRate;
    uint256 private immutable trackingSupplySpeed;

    uint256 private baseSupplyIndex = BASE_INDEX_SCALE;
    uint256 private baseBorrowIndex = BASE_INDEX_SCALE;
    uint256 private trackingSupplyIndex;
    uint256 private totalSupplyBase;
    uint256 private totalBorrowBase;
    uint256 private lastAccrualTime = block.timestamp;
    AssetInfo[] private assets;
    mapping(address => uint256) public getPrice;
    mapping(address => UserBasic) public userBasic;
    mapping(address => mapping(address => UserCollateral)) public userCollateral;

    constructor(address base, address feed, uint64 supplyRate_, uint64 borrowRate_, uint256 trackingSupplySpeed_) {
        (baseToken, baseTokenPriceFeed, baseScale) = (base, feed, 10 ** TokenDouble(base).decimals());
        (supplyRate, borrowRate, trackingSupplySpeed) = (supplyRate_, borrowRate_, trackingSupplySpeed_);
    }

    function addAsset(address asset, address feed, uint64 liquidateCollateralFactor) external {
        uint64 scale = uint64(10 ** TokenDouble(asset).decimals());
        assets.push(AssetInfo(uint8(assets.length), asset, feed, scale, 0, liquidateCollateralFactor, 0, type(uint128).max));
    }

    function setPrice(address feed, uint256 price) external {
        getPrice[feed] = price;
    }

    function numAssets() external view returns (uint8) {
        return uint8(assets.length);
    }

    function getAssetInfo(uint8 index) external view returns (AssetInfo memory) {
        require(index < assets.length);
        return assets[index];
    }

    function getUtilization() external view returns (uint256) {
        (uint256 supplyIndex, uint256 borrowIndex) = _indices();
        uint256 supplied = totalSupplyBase * supplyIndex / BASE_INDEX_SCALE;
        uint256 borrowed = totalBorrowBase * borrowIndex / BASE_INDEX_SCALE;
        return supplied == 0 ? 0 : borrowed * FACTOR_SCALE / supplied;
    }

    function getSupplyRate(uint256) external view returns (uint64) {
        return supplyRate;
    }

    function getBorrowRate(uint256) external view returns (uint64) {
        return borrowRate;
    }

    function balanceOf(address account) external view returns (uint256) {
        (uint256 index,) = _indices();
        int256 principal = userBasic[account].principal;
        return principal > 0 ? uint256(principal) * index / BASE_INDEX_SCALE : 0;
    }

    function borrowBalanceOf(address account) external view returns (uint256) {
        (, uint256 index) = _indices();
        int256 principal = userBasic[account].principal;
        return principal < 0 ? uint256(-principal) * index / BASE_INDEX_SCALE : 0;
    }

    // Of the base token by an account that owes nothing, or of collateral.
    function supply(address asset, uint256 amount) external {
        TokenCore(asset).transferFrom(msg.sender, address(this), amount);
        if (asset != baseToken) {
            userCollateral[msg.sender][asset].balance += uint128(amount);
            return;
        }
        accrue();
        require(userBasic[msg.sender].principal >= 0);
        uint256 principal = amount * BASE_INDEX_SCALE / baseSupplyIndex;
        _move(msg.sender, int104(int256(principal)));
        totalSupplyBase += principal;
    }

    // Of the base token by an account that lent nothing.
    function borrow(uint256 amount) external {
        accrue();
        require(userBasic[msg.sender].principal <= 0);
        uint256 principal = (amount * BASE_INDEX_SCALE + baseBorrowIndex - 1) / baseBorrowIndex;
        _move(msg.sender, -int104(int256(principal)));
        totalBorrowBase += principal;
        TokenCore(baseToken).transfer(msg.sender, amount);
    }

    function accrue() public {
        uint256 elapsed = block.timestamp - lastAccrualTime;
        if (elapsed == 0) return;
        (baseSupplyIndex, baseBorrowIndex) = _indices();
        if (totalSupplyBase > 0) trackingSupplyIndex += trackingSupplySpeed * elapsed * baseScale / totalSupplyBase;
        lastAccrualTime = block.timestamp;
    }

    function accrueAccount(address account) external {
        accrue();
        _move(account, 0);
    }

    function baseTrackingAccrued(address account) external view returns (uint64) {
        return userBasic[account].baseTrackingAccrued;
    }

    function _indices() private view returns (uint256, uint256) {
        uint256 elapsed = block.timestamp - lastAccrualTime;
        return (
            baseSupplyIndex + baseSupplyIndex * (supplyRate * elapsed) / FACTOR_SCALE,
            baseBorrowIndex + baseBorrowIndex * (borrowRate * elapsed) / FACTOR_SCALE
        );
    }

    // Debts are not rewarded here.
    function _move(address account, int104 change) private {
        UserBasic storage basic = userBasic[account];
        if (basic.principal > 0) {
            uint256 accrued = uint256(int256(basic.principal)) * (trackingSupplyIndex - basic.baseTrackingIndex);
            basic.baseTrackingAccrued += uint64(accrued / TRACKING_INDEX_SCALE / (baseScale / BASE_ACCRUAL_SCALE));
        }
        basic.principal += change;
        basic.baseTrackingIndex = uint64(basic.principal >= 0 ? trackingSupplyIndex : 0);
    }
}

contract CometRewardsDouble {
    struct RewardConfig {
        address token;
        uint64 rescaleFactor;
        bool shouldUpscale;
        uint256 multiplier;
    }

    struct RewardOwed {
        address token;
        uint256 owed;
    }

    mapping(address => RewardConfig) public rewardConfig;
    mapping(address => mapping(address => uint256)) public rewardsClaimed;

    error NotSupported(address comet);

    function setRewardConfig(CometDouble comet, address token) external {
        uint64 factor = uint64(10 ** TokenDouble(token).decimals() / comet.BASE_ACCRUAL_SCALE());
        rewardConfig[address(comet)] = RewardConfig(token, factor, true, 1e18);
    }

    function getRewardOwed(CometDouble comet, address account) external returns (RewardOwed memory) {
        RewardConfig memory config = _config(comet);
        comet.accrueAccount(account);
        uint256 claimed = rewardsClaimed[address(comet)][account];
        uint256 accrued = _accrued(comet, account, config);
        return RewardOwed(config.token, accrued > claimed ? accrued - claimed : 0);
    }

    function claim(CometDouble comet, address src, bool shouldAccrue) external {
        RewardConfig memory config = _config(comet);
        if (shouldAccrue) comet.accrueAccount(src);
        uint256 claimed = rewardsClaimed[address(comet)][src];
        uint256 accrued = _accrued(comet, src, config);
        if (accrued <= claimed) return;
        rewardsClaimed[address(comet)][src] = accrued;
        TokenCore(config.token).transfer(src, accrued - claimed);
    }

    function _config(CometDouble comet) private view returns (RewardConfig memory config) {
        config = rewardConfig[address(comet)];
        if (config.token == address(0)) revert NotSupported(address(comet));
    }

    function _accrued(CometDouble comet, address account, RewardConfig memory config) private view returns (uint256) {
        return uint256(comet.baseTrackingAccrued(account)) * config.rescaleFactor * config.multiplier / 1e18;
    }
}
