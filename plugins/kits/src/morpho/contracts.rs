//! Called functions.

portolan_plugin_api::sol! {
    // https://github.com/morpho-org/morpho-blue/tree/main/src/interfaces
    struct MarketParams {
        address loanToken;
        address collateralToken;
        address oracle;
        address irm;
        uint256 lltv;
    }
    struct Market {
        uint128 totalSupplyAssets;
        uint128 totalSupplyShares;
        uint128 totalBorrowAssets;
        uint128 totalBorrowShares;
        uint128 lastUpdate;
        uint128 fee;
    }
    function position(bytes32 id, address user) external view returns (
        uint256 supplyShares,
        uint128 borrowShares,
        uint128 collateral
    );
    // Both return their members one by one, which is encoded like a struct.
    function market(bytes32 id) external view returns (Market memory);
    function idToMarketParams(bytes32 id) external view returns (MarketParams memory);
    function borrowRateView(MarketParams memory marketParams, Market memory market) external view returns (uint256);
    function price() external view returns (uint256);

    // https://github.com/lista-dao/moolah/tree/master/src, moolah/Moolah.sol and broker/interfaces/IBroker.sol
    function getPrice(MarketParams memory marketParams) external view returns (uint256);
    function brokers(bytes32 id) external view returns (address);
    function getUserTotalDebt(address user) external view returns (uint256);

    // https://github.com/morpho-org/metamorpho/blob/main/src/MetaMorpho.sol
    function withdrawQueueLength() external view returns (uint256);
    function withdrawQueue(uint256 index) external view returns (bytes32);

    // https://github.com/morpho-org/vault-v2/tree/main/src, VaultV2.sol and adapters/MorphoMarketV1AdapterV2.sol
    function adaptersLength() external view returns (uint256);
    function adapters(uint256 index) external view returns (address);
    function marketIdsLength() external view returns (uint256);
    function marketIds(uint256 index) external view returns (bytes32);
    // adapters/MorphoMarketV1Adapter.sol, the older adapter.
    function marketParamsListLength() external view returns (uint256);
    function marketParamsList(uint256 index) external view returns (MarketParams memory);
}
