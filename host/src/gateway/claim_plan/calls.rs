//! The calls of a plan: one for each transaction of its claims, or one for several claims that can be merged.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_validation::MergedCall;

use crate::gateway::answer::{ClaimItem, PlannedCall};

/// The calls of claims, in their order; a merged one stands in the place of its first claim. Claims whose ids are in `apart`
/// are not merged.
pub(super) fn merged(claims: &[Arc<ClaimItem>], apart: &BTreeSet<String>) -> Vec<PlannedCall> {
    let mut calls: Vec<(PlannedCall, Option<MergedCall>)> = Vec::new();
    for claim in claims {
        let mergeable = mergeable(claim).filter(|_| !apart.contains(&claim.id));
        let grown = mergeable.and_then(|more| {
            calls.iter_mut().find_map(|(call, own)| Some((call, own.as_ref()?.merge(more)?)).zip(Some(own)))
        });
        if let Some(((call, all), own)) = grown {
            call.transaction = all.transaction().clone();
            call.claims.push(Arc::clone(claim));
            *own = Some(all);
            continue;
        }
        let call = |transaction| PlannedCall { transaction, claims: vec![Arc::clone(claim)] };
        calls.extend(claim.transactions.iter().cloned().map(|transaction| (call(transaction), mergeable.cloned())));
    }
    calls.into_iter().map(|(call, _)| call).collect()
}

/// The call that a claim may be merged by, where it is its only one.
fn mergeable(claim: &ClaimItem) -> Option<&MergedCall> {
    let [only] = &claim.transactions[..] else { return None };
    only.mergeable.as_deref()
}
