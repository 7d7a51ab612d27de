//! Called functions.

portolan_plugin_api::sol! {
    // https://github.com/euler-xyz/ethereum-vault-connector/blob/master/src/interfaces/IEthereumVaultConnector.sol
    function getAccountOwner(address account) external view returns (address);
    function getCollaterals(address account) external view returns (address[] memory);
    function getControllers(address account) external view returns (address[] memory);

    // https://github.com/euler-xyz/euler-vault-kit/tree/master/src, GenericFactory/GenericFactory.sol
    function getProxyListLength() external view returns (uint256);
    function getProxyListSlice(uint256 start, uint256 end) external view returns (address[] memory);

    // EVault/IEVault.sol. Views include interest until the block.
    function asset() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function convertToAssets(uint256 shares) external view returns (uint256);
    function debtOf(address account) external view returns (uint256);
    function interestRate() external view returns (uint256);
    function interestFee() external view returns (uint16);
    function totalAssets() external view returns (uint256);
    function totalBorrows() external view returns (uint256);
    function accountLiquidity(address account, bool liquidation) external view returns (
        uint256 collateralValue,
        uint256 liabilityValue
    );

    // https://github.com/euler-xyz/evk-periphery/blob/master/src/Perspectives/implementation/BasePerspective.sol
    function isVerified(address vault) external view returns (bool);

    // https://github.com/euler-xyz/euler-earn/blob/master/src/EulerEarnFactory.sol
    function getVaultListLength() external view returns (uint256);
    function getVaultListSlice(uint256 start, uint256 end) external view returns (address[] memory);
}
