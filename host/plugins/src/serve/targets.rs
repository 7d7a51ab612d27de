//! The contracts that an instance's claims may call and name, as operators see them.

use std::collections::BTreeSet;

use portolan_abi::Question;
use portolan_abi::map::{Catalogue, Deployment};
use portolan_validation::Lineages;
use serde::Serialize;

use crate::serve::instance::Instance;

/// Maximum number of new targets named in a line; the rest are counted.
const ADDED_MAX: usize = 8;

/// The contracts of a deployment that has claims. The serialized names are stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetStatus {
    pub(crate) protocol: String,
    pub(crate) chain_id: u64,
    pub(crate) market: String,
    /// `listed` by the plugin, or `settings`.
    pub(crate) source: &'static str,
    /// Addresses in lower case.
    pub(crate) contracts: Vec<String>,
}

impl TargetStatus {
    /// All targets of an instance.
    pub(crate) fn all(instance: &Instance) -> Vec<Self> {
        let target = |row: &Deployment| Self {
            protocol: row.protocol.clone(),
            chain_id: row.chain_id,
            market: row.market.clone(),
            source: if instance.is_of_settings(row) { "settings" } else { "listed" },
            contracts: row.contracts.iter().map(|contract| format!("{contract:#x}")).collect(),
        };
        claimed(&instance.catalogue).map(target).collect()
    }
}

/// Contracts and views that claims of `now` may use and claims of `before` could not, in one bounded line.
pub(crate) fn added(before: &Instance, now: &Instance) -> Option<String> {
    let [before, now] = [before, now].map(|one| names(&one.catalogue, one.claim_templates.lineages()));
    let added: Vec<String> = now.difference(&before).cloned().collect();
    let (first, more) = added.split_at(added.len().min(ADDED_MAX));
    match more.len() {
        0 => (!first.is_empty()).then(|| first.join(", ")),
        more => Some(format!("{}, and {more} more", first.join(", "))),
    }
}

fn names(catalogue: &Catalogue, lineages: &Lineages) -> BTreeSet<String> {
    let of_row = |row: &Deployment| {
        let place = format!("{} on chain {}", row.protocol, row.chain_id);
        row.contracts.iter().map(|contract| format!("{contract:#x} of {place}")).collect::<Vec<_>>()
    };
    claimed(catalogue).flat_map(of_row).chain(lineages.shown()).collect()
}

/// The deployments that have claims.
fn claimed(catalogue: &Catalogue) -> impl Iterator<Item = &Deployment> {
    catalogue.deployments.iter().filter(|row| row.questions.contains(&Question::CLAIMABLES))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;
    use portolan_abi::map::{self, lineage};

    use super::*;

    #[test]
    fn targets_are_the_contracts_of_deployments_with_claims_and_the_views_that_name_further_ones() {
        let row = |byte, question| Deployment {
            protocol: "acme".to_owned(),
            chain_id: 10,
            questions: vec![question],
            contracts: vec![Address::repeat_byte(byte)],
            ..Deployment::default()
        };
        let deployments = vec![row(1, Question::CLAIMABLES), row(2, Question::FARMING)];
        let catalogue = Catalogue { deployments, ..Catalogue::default() };
        let gauge = map::Lineage { view: "gauge()".to_owned(), gives: lineage::TARGET, ..Default::default() };
        let names = names(&catalogue, &Lineages::parse(&[gauge]).unwrap());
        let expected = [format!("0x{} of acme on chain 10", "01".repeat(20)), "gauge() gives targets".to_owned()];
        assert_eq!(names, expected.into());
    }
}
