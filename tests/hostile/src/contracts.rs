//! Contracts of the polygon chain of the tests, and functions that claims are made of.

use portolan_plugin_api::{Address, address, sol};

/// A token.
pub(crate) const QUICK: Address = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
/// In the catalogue: claims may go here.
pub(crate) const LAIR: Address = address!("0x958d208cdf087843e9ad98d23823d32e17d723a1");
/// In no catalogue, though it exists.
pub(crate) const PAIRS: Address = address!("0x5757371414417b8c6caad45baef941abc7d3ab32");
/// Has no feed, and nobody states its price where compositions are tested.
pub(crate) const OLD_QUICK: Address = address!("0x831753dd7087cac61ab5644b308642cc1c33dc13");
/// Another token.
pub(crate) const USDC: Address = address!("0x2791bca1f2de4661ed88a30c99a7a9449aa84174");
/// Tokens without a contract, for deeds that need a name alone.
pub(crate) const LIED_ABOUT: Address = address!("0x00000000000000000000000000000000000bad01");
pub(crate) const PANICKED_ABOUT: Address = address!("0x00000000000000000000000000000000000bad02");
pub(crate) const RINGED: Address = address!("0x00000000000000000000000000000000000bad03");
pub(crate) const WORTH_NOTHING: Address = address!("0x00000000000000000000000000000000000bad04");
/// Nobody's.
pub(crate) const STRANGER: Address = address!("0x00000000000000000000000000000000000bad00");

sol! {
    function getReward() external;
    function claimFor(address account) external;
    function claimMany(uint256[] ids) external;
    function claimToken(address token) external;
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function multicall(bytes[] calls) external;
    function unstake() external;
    function undeclared() external;

    function allPairs(uint256 index) external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function quick() external view returns (address);
}
