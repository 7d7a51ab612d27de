//! Called functions.
//!
//! Source: <https://github.com/liquity/dev/tree/main/packages/contracts/contracts>

portolan_plugin_api::sol! {
    // TroveManager.sol: includes pending redistributions; all zero without a trove.
    function getEntireDebtAndColl(address borrower) external view
        returns (uint256 debt, uint256 coll, uint256 pendingDebt, uint256 pendingColl);
    function MCR() external view returns (uint256);
    function borrowerOperationsAddress() external view returns (address);
    function stabilityPool() external view returns (address);
    function lusdToken() external view returns (address);
    function lqtyToken() external view returns (address);
    function lqtyStaking() external view returns (address);
    // LiquityBase.sol
    function priceFeed() external view returns (address);

    // PriceFeed.sol: it stores the price that it returns.
    function fetchPrice() external returns (uint256);

    // StabilityPool.sol
    function getCompoundedLUSDDeposit(address depositor) external view returns (uint256);
    function getDepositorETHGain(address depositor) external view returns (uint256);
    function getDepositorLQTYGain(address depositor) external view returns (uint256);
    function getTotalLUSDDeposits() external view returns (uint256);
    function withdrawFromSP(uint256 amount) external;

    // LQTY/LQTYStaking.sol
    function stakes(address user) external view returns (uint256);
    function getPendingETHGain(address user) external view returns (uint256);
    function getPendingLUSDGain(address user) external view returns (uint256);
    function totalLQTYStaked() external view returns (uint256);
    function unstake(uint256 amount) external;

    // CollSurplusPool.sol, BorrowerOperations.sol
    function getCollateral(address account) external view returns (uint256);
    function claimCollateral() external;
}
