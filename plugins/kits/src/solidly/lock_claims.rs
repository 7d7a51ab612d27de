//! Claims of an account's locks: rebases and rewards of votes. Also reports what is not read.

use portolan_plugin_api::{Address, Claimable, Error, JobContext, U256};

use super::contracts::{ESCROW_TYPE_DEPOSITED, escrowTypeCall, first};
use super::locks::held;
use super::{Solidly, rebases, votes};
use crate::boxed::Boxed;
use crate::kit::{Labels, ZERO_STANDS_S};
use crate::partial::join_partial;

/// Returns the claims of all locks of the account.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let Some(escrow) = of.contracts.escrow else { return Ok(Vec::new()) };
    let held = held(cx, of, labels, escrow, account).await?;
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let rebases = Box::pin(rebases::claimables(cx, of, labels, escrow, &held));
    let votes: Boxed<'_, Vec<Claimable>> = match of.generation.has_known_votes() {
        true => Box::pin(votes::claimables(cx, of, labels, &held)),
        false => Box::pin(report_votes(cx, of, labels, &held)),
    };
    let gaps = Box::pin(report_deposited(cx, of, labels, escrow, &held));
    let parts: [Boxed<'_, Vec<Claimable>>; 3] = [rebases, votes, gaps];
    let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
    Ok(found.into_iter().flatten().collect())
}

/// Reports locks that have ever voted, if the rewards of votes are unknown.
async fn report_votes(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    held: &[U256],
) -> Result<Vec<Claimable>, Error> {
    let voter = of.contracts.voter;
    let last = cx.try_call_each(held.iter().map(|lock| (voter, first::lastVotedCall { tokenId: *lock })));
    let last = last.zero_within(ZERO_STANDS_S).await;
    let voted = last.into_iter().collect::<Result<Vec<_>, _>>()?;
    let voted = voted.into_iter().filter(|last| last.as_ref().is_ok_and(|last| !last.is_zero())).count();
    if voted > 0 {
        let (market, all) = (labels.market, held.len());
        cx.report_not_covered(format!(
            "{market}: fees and bribes of {voted} of {all} locks, which have voted, are not read"
        ));
    }
    Ok(Vec::new())
}

/// Reports locks deposited in a managed one, which claims for them.
async fn report_deposited(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    escrow: Address,
    held: &[U256],
) -> Result<Vec<Claimable>, Error> {
    if !of.generation.has_second_locks() {
        return Ok(Vec::new());
    }
    let types = cx.try_call_each(held.iter().map(|lock| (escrow, escrowTypeCall { tokenId: *lock })));
    let types = types.zero_within(ZERO_STANDS_S).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let deposited = types.into_iter().filter(|of_type| *of_type == Ok(ESCROW_TYPE_DEPOSITED)).count();
    if deposited > 0 {
        let why = "they are deposited in managed ones";
        let (market, all) = (labels.market, held.len());
        cx.report_not_covered(format!("{market}: what {deposited} of {all} locks have earned is not read: {why}"));
    }
    Ok(Vec::new())
}
