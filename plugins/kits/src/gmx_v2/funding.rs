//! Funding fees that positions of the account have been credited with, by market and token.

use std::collections::BTreeMap;

use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::{Address, B256, Claimable, Error, JobContext, SolValue as _, U256};

use super::GmxV2;
use super::markets::{Market, markets};
use super::store::{getUintCall, named};
use crate::bounds;
use crate::kit::Labels;
use crate::read_nonzero::read_nonzero;
use crate::token_sums;

portolan_plugin_api::sol! {
    // router/ExchangeRouter.sol. Pays what the sender is owed in each market and token.
    function claimFundingFees(address[] markets, address[] tokens, address receiver) external returns (uint256[]);
}

/// Pairs of a market and a token in one claim.
const PAIRS_MAX: usize = 64;

/// Returns one claim for all markets and tokens that owe the account something.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &GmxV2,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let (list, store) = (named("CLAIMABLE_FUNDING_AMOUNT"), of.store);
    let pairs = markets(cx, of, labels).await?.into_iter().flat_map(|Market { address, long, short }| {
        let other = (short != long).then_some((address, short));
        [(address, long)].into_iter().chain(other)
    });
    let key = |(market, token): (Address, Address)| -> B256 { keccak256((list, market, token, account).abi_encode()) };
    let call = |pair: &(Address, Address)| (store, getUintCall { key: key(*pair) });
    let mut owed = read_nonzero(cx, labels.market, pairs.collect(), call).await?;
    bounds::truncate(cx, labels.market, &mut owed, "funding fees", PAIRS_MAX);
    if owed.is_empty() {
        return Ok(Vec::new());
    }
    let (markets, tokens) = owed.iter().map(|(pair, _)| *pair).unzip();
    let claim = cx.claim(of.router, &claimFundingFeesCall { markets, tokens, receiver: account });
    let mut paid: BTreeMap<Address, U256> = BTreeMap::new();
    for ((_, token), amount) in owed {
        token_sums::add(&mut paid, token, amount)?;
    }
    let row = Claimable::new(labels.market, of.router, claim).mechanism(of.types.perpetual);
    let row = row.named(format!("{} funding fees", labels.title));
    Ok(vec![paid.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))])
}
