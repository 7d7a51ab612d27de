//! NFTs of an account, enumerated with ERC-721.
//!
//! Anyone can send NFTs to an account, so only the first ones are read; the answer reports the rest.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use crate::bounds::answered;
use crate::kit::ZERO_STANDS_S;

portolan_plugin_api::sol! {
    // https://eips.ethereum.org/EIPS/eip-721
    function balanceOf(address owner) external view returns (uint256);
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
}

/// NFTs of one contract in an answer.
const NFTS_MAX: u64 = 64;

/// Returns the number of NFTs that the account owns.
pub(crate) async fn count(cx: &JobContext, of: Address, account: Address) -> Result<U256, Error> {
    cx.call(of, balanceOfCall { owner: account }).zero_within(ZERO_STANDS_S).await
}

/// Returns the ids of the account's first NFTs; an account without any costs one read.
pub(crate) async fn owned(cx: &JobContext, market: &str, of: Address, account: Address) -> Result<Vec<U256>, Error> {
    let count = count(cx, of, account).await?;
    numbers(cx, market, of, account, count).await
}

/// Returns the ids of the account's first NFTs of so many.
pub(crate) async fn numbers(
    cx: &JobContext,
    market: &str,
    of: Address,
    account: Address,
    count: U256,
) -> Result<Vec<U256>, Error> {
    let number = |index| cx.call(of, tokenOfOwnerByIndexCall { owner: account, index });
    cx.join(places(cx, market, of, count).map(number)).await
}

/// Iterates over the indices that are answered; reports further NFTs as not covered.
pub(crate) fn places(cx: &JobContext, market: &str, of: Address, count: U256) -> impl Iterator<Item = U256> + use<> {
    (0..answered(cx, format_args!("{market}: {of}"), count, "NFTs", NFTS_MAX)).map(U256::from)
}
