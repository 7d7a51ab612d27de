//! The NFTs of an account, by the enumeration of ERC-721: what a contract counts as the account's, each by its number.
//!
//! Anyone may give an account more NFTs than it wants. So only the first ones are answered, and the answer says so.

use portolan_plugin_api::{Address, Chain, Error, U256};

use crate::kit::ZERO_STANDS_S;

portolan_plugin_api::sol! {
    // https://eips.ethereum.org/EIPS/eip-721
    function balanceOf(address owner) external view returns (uint256);
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
}

/// NFTs of one contract that an answer is about.
const NFTS_MAX: u64 = 64;

/// How many NFTs the contract counts as the account's.
pub(crate) async fn count(cx: &Chain, of: Address, account: Address) -> Result<U256, Error> {
    cx.call(of, balanceOfCall { owner: account }).zero_within(ZERO_STANDS_S).await
}

/// The numbers of so many NFTs.
pub(crate) async fn numbers(
    cx: &Chain,
    market: &str,
    of: Address,
    account: Address,
    count: U256,
) -> Result<Vec<U256>, Error> {
    let number = |index| cx.call(of, tokenOfOwnerByIndexCall { owner: account, index });
    cx.join(places(cx, market, of, count).map(number)).await
}

/// The places of so many NFTs, as far as they are answered.
pub(crate) fn places(cx: &Chain, market: &str, of: Address, count: U256) -> impl Iterator<Item = U256> + use<> {
    if count > U256::from(NFTS_MAX) {
        cx.report_not_covered(format!("{market}: {of}: {count} NFTs, of which {NFTS_MAX} are answered"));
    }
    let count = u64::try_from(count).unwrap_or(NFTS_MAX).min(NFTS_MAX);
    (0..count).map(U256::from)
}
