//! The contracts that the claims of an instance go to and name, as operators see them.

use portolan_abi::Question;
use portolan_abi::map::Deployment;
use serde::Serialize;

use super::instance::Instance;

/// The contracts of a deployment that has claims. The names that it serializes to stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetStatus {
    pub(crate) protocol: String,
    pub(crate) chain_id: u64,
    pub(crate) market: String,
    /// `listed` by the plugin, or `settings`.
    pub(crate) source: &'static str,
    /// In lower case.
    pub(crate) contracts: Vec<String>,
}

impl TargetStatus {
    /// Those of an instance.
    pub(super) fn all(instance: &Instance) -> Vec<Self> {
        let target = |row: &Deployment| Self {
            protocol: row.protocol.clone(),
            chain_id: row.chain_id,
            market: row.market.clone(),
            source: if instance.is_of_settings(row) { "settings" } else { "listed" },
            contracts: row.contracts.iter().map(|contract| format!("{contract:#x}")).collect(),
        };
        let rows = instance.catalogue.deployments.iter();
        rows.filter(|row| row.questions.contains(&Question::CLAIMABLES)).map(target).collect()
    }
}
