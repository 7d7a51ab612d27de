//! Called functions of crvUSD's and LlamaLend's contracts.
//!
//! Source: <https://github.com/curvefi/curve-stablecoin/tree/master/contracts>

portolan_plugin_api::sol! {
    // ControllerFactory.vy
    function n_collaterals() external view returns (uint256);
    function controllers(uint256 index) external view returns (address);

    // lending/OneWayLendingFactory.vy, which also has `controllers`.
    function market_count() external view returns (uint256);
    function vaults(uint256 index) external view returns (address);

    // lending/LendFactory.vy, which counts like the one before: a market's vault, its controller, and five others.
    function markets(uint256 index) external view returns (address vault, address controller, address[5] memory rest);

    // Controller.vy. The health is zero if the whole collateral is worth the debt, and negative below.
    function amm() external view returns (address);
    function loan_exists(address account) external view returns (bool);
    function user_state(address account) external view
        returns (uint256 collateral, uint256 converted, uint256 debt, uint256 bands);
    function health(address account, bool full) external view returns (int256);

    // AMM.vy: the lent token and the collateral. The rate is per second, with 18 decimals.
    function coins(uint256 index) external view returns (address);
    function rate() external view returns (uint256);
}
