//! Called functions of pools, data providers, their tokens, and rewards controllers.
//!
//! Sources: the packages @aave/core-v3 1.19.3 (<https://github.com/aave/aave-v3-core>) and @aave/periphery-v3 3.0.1
//! (<https://github.com/aave/aave-v3-periphery>), in the files named below.

portolan_plugin_api::sol! {
    // The pool: core-v3, contracts/interfaces/IPool.sol
    function getReservesList() external view returns (address[] reserves);
    // Members of `ReserveData` after the rates differ between versions, and are not read.
    function getReserveData(address asset) external view returns (
        uint256 configuration,
        uint128 liquidityIndex,
        uint128 currentLiquidityRate,
        uint128 variableBorrowIndex,
        uint128 currentVariableBorrowRate
    );
    function getUserAccountData(address user) external view returns (
        uint256 totalCollateralBase,
        uint256 totalDebtBase,
        uint256 availableBorrowsBase,
        uint256 currentLiquidationThreshold,
        uint256 ltv,
        uint256 healthFactor
    );

    // The data provider: core-v3, contracts/interfaces/IPoolDataProvider.sol
    function getReserveTokensAddresses(address asset) external view returns (
        address aTokenAddress,
        address stableDebtTokenAddress,
        address variableDebtTokenAddress
    );

    // Tokens of a reserve: core-v3, contracts/protocol/tokenization. Balances include interest.
    function balanceOf(address account) external view returns (uint256);
    function getUserStableRate(address user) external view returns (uint256);

    // The rewards controller: periphery-v3, contracts/rewards/interfaces
    function getRewardsByAsset(address asset) external view returns (address[] rewards);
    function getUserRewards(address[] assets, address user, address reward) external view returns (uint256);
    function claimRewards(address[] assets, uint256 amount, address to, address reward) external returns (uint256);
}

/// Functions that differ in the second version.
///
/// Source: <https://github.com/aave/protocol-v2/tree/master/contracts>.
pub(super) mod v2 {
    portolan_plugin_api::sol! {
        // interfaces/ILendingPool.sol; protocol/libraries/types/DataTypes.sol
        function getReserveData(address asset) external view returns (
            uint256 configuration,
            uint128 liquidityIndex,
            uint128 variableBorrowIndex,
            uint128 currentLiquidityRate,
            uint128 currentVariableBorrowRate
        );

        // interfaces/IAaveIncentivesController.sol
        function REWARD_TOKEN() external view returns (address);
        function getRewardsBalance(address[] assets, address user) external view returns (uint256);
        function claimRewards(address[] assets, uint256 amount, address to) external returns (uint256);
    }
}
