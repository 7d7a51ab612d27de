//! Clear signing (ERC-7730): what a wallet shows of the calls that claim, made of the plugins' claim templates, and what
//! a registry's descriptor says of the same calls.
//!
//! Invariant: a descriptor has one format for each function, however many templates call it, and lists only contracts
//! that the catalogue lists. Nothing is read from a chain.

mod argument_use;
mod call_format;
mod call_signature;
mod check;
mod comparison;
mod registry_descriptor;
mod registry_field;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::Question;
use portolan_plugins::protocol::Protocol;
use portolan_plugins::{Instance, Served};

pub(crate) use self::argument_use::ArgumentUse;
pub(crate) use self::call_format::{CallField, CallFormat};
pub(crate) use self::check::ClearSigningCheck;
pub(crate) use self::registry_descriptor::RegistryDescriptor;

/// The URL of the JSON schema of ERC-7730 that descriptors conform to: version 2.0.0.
pub(crate) const SCHEMA: &str = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";

/// What wallets show of a protocol's claims.
#[derive(Clone, Debug)]
pub(crate) struct ClaimDescriptor {
    pub(crate) protocol: Arc<Protocol>,
    /// The contracts that claims may call and name, each with its chain id.
    pub(crate) contracts: BTreeSet<(u64, Address)>,
    /// Formats of the functions that claims may call, ordered by signature.
    pub(crate) formats: Vec<CallFormat>,
}

impl ClaimDescriptor {
    /// Makes the descriptor of a protocol; `None` if nothing can be claimed, or only from contracts that are not listed.
    pub(crate) fn of(served: &Served) -> Option<Self> {
        let (contracts, formats) = (contracts(served), formats(&served.instance));
        let is_empty = contracts.is_empty() || formats.is_empty();
        (!is_empty).then(|| Self { protocol: Arc::clone(&served.protocol), contracts, formats })
    }

    /// Returns the number of contracts and formats.
    pub(crate) fn len(&self) -> usize {
        self.contracts.len() + self.formats.len()
    }
}

/// Returns the listed contracts of the protocol's deployments that answer with claimables.
fn contracts(served: &Served) -> BTreeSet<(u64, Address)> {
    let claiming = served.deployments().filter(|row| row.questions.contains(&Question::CLAIMABLES));
    claiming.flat_map(|row| row.contracts.iter().map(|contract| (row.chain_id, *contract))).collect()
}

/// Returns the format of each function that claims of the instance may call, ordered by signature.
fn formats(instance: &Instance) -> Vec<CallFormat> {
    let mut formats: BTreeMap<String, CallFormat> = BTreeMap::new();
    for (template, status) in instance.catalogue.claims.iter().zip(instance.claim_templates.status()) {
        let Some(format) = CallFormat::of(template, &status.call).filter(|_| status.allowed) else { continue };
        let known = formats.remove(&template.signature);
        let format = known.map_or_else(|| format.clone(), |known| known.merged(&format));
        formats.insert(template.signature.clone(), format);
    }
    formats.into_values().map(CallFormat::numbered).collect()
}

#[cfg(test)]
mod tests;
