//! The functions of the SushiBar and its token that are called; those of chefs are the kit's.

portolan_plugin_api::sol! {
    // Source: https://etherscan.io/address/0x8798249c2e607446efb7ad49ec89dd1865ff4272#code
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}
