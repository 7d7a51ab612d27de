//! The functions that are called, of crvUSD's and LlamaLend's contracts.
//!
//! Source: <https://github.com/curvefi/curve-stablecoin/tree/master/contracts>

portolan_plugin_api::sol! {
    // ControllerFactory.vy
    function n_collaterals() external view returns (uint256);
    function controllers(uint256 index) external view returns (address);

    // lending/OneWayLendingFactory.vy has `controllers` too.
    function market_count() external view returns (uint256);
    function vaults(uint256 index) external view returns (address);

    // Controller.vy. The health is that until the whole collateral is worth less than the debt, and negative then.
    function amm() external view returns (address);
    function loan_exists(address account) external view returns (bool);
    function user_state(address account) external view
        returns (uint256 collateral, uint256 converted, uint256 debt, uint256 bands);
    function health(address account, bool full) external view returns (int256);

    // AMM.vy: what is lent, and the collateral. The rate is one a second, with 18 decimals.
    function coins(uint256 index) external view returns (address);
    function rate() external view returns (uint256);
}
