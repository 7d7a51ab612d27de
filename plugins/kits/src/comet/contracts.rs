//! Called functions.
//!
//! Source: <https://github.com/compound-finance/comet/tree/main/contracts>

portolan_plugin_api::sol! {
    // CometMainInterface.sol. Balances include interest until the block.
    function baseToken() external view returns (address);
    function baseTokenPriceFeed() external view returns (address);
    function baseScale() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function borrowBalanceOf(address account) external view returns (uint256);
    function getUtilization() external view returns (uint256);
    function getSupplyRate(uint256 utilization) external view returns (uint64);
    function getBorrowRate(uint256 utilization) external view returns (uint64);
    function getPrice(address priceFeed) external view returns (uint256);
    function numAssets() external view returns (uint8);
    function getAssetInfo(uint8 index) external view returns (
        uint8 offset,
        address asset,
        address priceFeed,
        uint64 scale,
        uint64 borrowCollateralFactor,
        uint64 liquidateCollateralFactor
    );

    // CometStorage.sol
    function userCollateral(address account, address asset) external view returns (uint128 balance, uint128 reserved);

    // CometRewards.sol. Computing the owed amount accrues it first. Members after the token differ between versions,
    // and are not read.
    function rewardConfig(address comet) external view returns (address token);
    function getRewardOwed(address comet, address account) external returns (address token, uint256 owed);
    function claim(address comet, address src, bool shouldAccrue) external;
}
