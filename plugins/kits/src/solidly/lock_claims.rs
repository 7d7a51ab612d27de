//! What an account's locks can claim: rebases, and what their votes have earned.

use portolan_plugin_api::{Address, Chain, Claimable, Error};

use super::locks::held;
use super::{Solidly, rebases, votes};
use crate::boxed::Boxed;
use crate::kit::Labels;
use crate::try_each::try_each;

/// The claims of all locks of the account.
pub(super) async fn claimables(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let Some(escrow) = of.contracts.escrow else { return Ok(Vec::new()) };
    if of.contracts.distributor.is_none() && !of.generation.has_known_votes() {
        return Ok(Vec::new());
    }
    let held = held(cx, of, labels, escrow, account).await?;
    let mut parts: Vec<Boxed<'_, Vec<Claimable>>> = vec![Box::pin(rebases::claimables(cx, of, labels, escrow, &held))];
    if of.generation.has_known_votes() {
        parts.push(Box::pin(votes::claimables(cx, of, labels, &held)));
    }
    let found = try_each(cx, parts).await.or_err_if_all(cx, labels.market)?;
    Ok(found.into_iter().flatten().collect())
}
