//! Called functions.
//!
//! Source: <https://github.com/silo-finance/silo-contracts-v2/tree/master/silo-core/contracts>.

portolan_plugin_api::sol! {
    // SiloConfig.sol. The real struct of `getConfig` has more members.
    function getSilos() external view returns (address one, address other);
    function getConfig(address silo) external view returns (
        uint256 daoFee,
        uint256 deployerFee,
        address silo,
        address token,
        address protectedShareToken,
        address collateralShareToken,
        address debtShareToken,
        address solvencyOracle,
        address maxLtvOracle,
        address interestRateModel,
        uint256 maxLtv,
        uint256 lt
    );
    function borrowerCollateralSilo(address borrower) external view returns (address silo);

    // utils/ShareToken.sol
    function balanceOf(address account) external view returns (uint256);

    // Silo.sol. Amounts include interest until the block; collateral kind 0 is protected, 1 is lent.
    function previewRedeem(uint256 shares, uint8 kind) external view returns (uint256 assets);
    function maxRepay(address borrower) external view returns (uint256 assets);
    function getCollateralAssets() external view returns (uint256);
    function getDebtAssets() external view returns (uint256);

    // interfaces/IInterestRateModel.sol: annual rate, with 18 decimals
    function getCurrentInterestRate(address silo, uint256 timestamp) external view returns (uint256);

    // interfaces/ISiloOracle.sol
    function quote(uint256 amount, address token) external view returns (uint256);
}
