//! Called functions.
//!
//! Source: <https://github.com/liquity/bold/tree/main/contracts/src>

portolan_plugin_api::sol! {
    // CollateralRegistry.sol
    function totalCollaterals() external view returns (uint256);
    function boldToken() external view returns (address);
    function getToken(uint256 index) external view returns (address);
    function getTroveManager(uint256 index) external view returns (address);

    // TroveManager.sol. The array of ids loses an entry by putting the last one into its place.
    function troveNFT() external view returns (address);
    function stabilityPool() external view returns (address);
    function borrowerOperations() external view returns (address);
    function getTroveIdsCount() external view returns (uint256);
    function getTroveFromTroveIdsArray(uint256 index) external view returns (uint256);
    // Includes interest until the block, and pending redistributions.
    function getLatestTroveData(uint256 troveId) external view returns (
        uint256 entireDebt,
        uint256 entireColl,
        uint256 redistBoldDebtGain,
        uint256 redistCollGain,
        uint256 accruedInterest,
        uint256 recordedDebt,
        uint256 annualInterestRate
    );

    // TroveNFT.sol
    function balanceOf(address owner) external view returns (uint256);
    function ownerOf(uint256 troveId) external view returns (address);

    // BorrowerOperations.sol
    function MCR() external view returns (uint256);
    function claimCollateral() external;

    // PriceFeeds/MainnetPriceFeedBase.sol: it stores the price that it returns.
    function fetchPrice() external returns (uint256 price, bool failed);

    // CollSurplusPool.sol
    function getCollateral(address account) external view returns (uint256);

    // StabilityPool.sol
    function deposits(address depositor) external view returns (uint256 initialValue);
    function stashedColl(address depositor) external view returns (uint256);
    function getTotalBoldDeposits() external view returns (uint256);
    function getCompoundedBoldDeposit(address depositor) external view returns (uint256);
    function getDepositorYieldGainWithPending(address depositor) external view returns (uint256);
    function getDepositorCollGain(address depositor) external view returns (uint256);
    function withdrawFromSP(uint256 amount, bool doClaim) external;
    // Pays stashed collateral to an account without a deposit.
    function claimAllCollGains() external;
}
