//! Calls of a plan: one per transaction, or one for several claims that can be merged.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_validation::{ClaimTransaction, MergedCall};

use crate::gateway::answer::{ClaimItem, PlannedCall};

/// Returns the calls of claims in order. A merged call takes the place of its first claim, and has at most the gas
/// that a transaction may have. Claims whose ids are in `apart` are not merged.
pub(super) fn merged(claims: &[Arc<ClaimItem>], apart: &BTreeSet<String>, gas_max: u32) -> Vec<PlannedCall> {
    let mut calls: Vec<(PlannedCall, Option<MergedCall>)> = Vec::new();
    for claim in claims {
        let mergeable = mergeable(claim).filter(|_| !apart.contains(&claim.id));
        let own_gas = gas(claim, 0);
        let grown = mergeable.and_then(|more| {
            calls.iter_mut().find_map(|(call, own)| {
                let (all, gas) = (own.as_ref()?.merge(more)?, merged_gas(call.gas, own_gas, gas_max)?);
                Some((call, own, all, gas))
            })
        });
        if let Some((call, own, all, gas)) = grown {
            call.transaction = all.transaction().clone();
            call.claims.push(Arc::clone(claim));
            (call.gas, *own) = (Some(gas), Some(all));
            continue;
        }
        let call = |(place, transaction): (usize, &ClaimTransaction)| PlannedCall {
            transaction: transaction.clone(),
            gas: gas(claim, place),
            claims: vec![Arc::clone(claim)],
        };
        calls.extend(claim.transactions.iter().enumerate().map(|step| (call(step), mergeable.cloned())));
    }
    calls.into_iter().map(|(call, _)| call).collect()
}

/// Gas limit of one transaction of a claim, if known.
fn gas(claim: &ClaimItem, place: usize) -> Option<u32> {
    claim.simulation.as_ref()?.gas_limit(place)
}

/// Gas of both calls merged, if both are known and the sum does not exceed `gas_max`.
fn merged_gas(one: Option<u32>, other: Option<u32>, gas_max: u32) -> Option<u32> {
    one?.checked_add(other?).filter(|gas| *gas <= gas_max)
}

/// Returns the call by which a claim may be merged, if it is its only transaction.
fn mergeable(claim: &ClaimItem) -> Option<&MergedCall> {
    let [only] = &claim.transactions[..] else { return None };
    only.mergeable.as_deref()
}
