//! Provenance of a finding's amounts: plugin, block, and the reads that returned them or that they were computed from.

use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_reader::Block;
use portolan_validation::ValidFinding;

use crate::jobs::job::{AmountSource, SourceIndex};
use crate::jobs::plan::JobPlan;

/// Provenance of a finding.
#[derive(Clone, Debug)]
pub(crate) struct Provenance {
    /// Hex SHA-256 of the plugin's file.
    pub(crate) digest: Option<Arc<str>>,
    pub(crate) block: Block,
    pub(crate) amounts: Vec<AmountSource>,
}

impl Provenance {
    pub(super) fn of(plan: &JobPlan, finding: &ValidFinding, index: &SourceIndex<'_>, block: Block) -> Self {
        let contracts = contracts(finding);
        let amounts = amounts(finding).into_iter().filter(|(_, amount)| !amount.is_zero());
        let amounts = amounts.map(|(token, amount)| index.source(token, amount, &contracts)).collect();
        Self { digest: plan.instance.digest.clone(), block, amounts }
    }
}

fn contracts(finding: &ValidFinding) -> Vec<Address> {
    match finding {
        ValidFinding::Claim(_, transactions) => transactions.iter().map(|transaction| transaction.to).collect(),
        ValidFinding::Position(found) => vec![found.contract],
    }
}

fn amounts(finding: &ValidFinding) -> Vec<(Address, U256)> {
    match finding {
        ValidFinding::Claim(found, _) => found.payments.iter().map(|payment| (payment.token, payment.amount)).collect(),
        ValidFinding::Position(found) => {
            let parts = found.legs.iter().flat_map(|leg| leg.redeems_to.iter().flatten());
            let legs = found.legs.iter().map(|leg| (leg.token, leg.amount));
            legs.chain(parts.map(|part| (part.token, part.amount))).collect()
        }
    }
}
