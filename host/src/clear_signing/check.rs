//! A plugin's claim functions beside those of a registry's descriptor: what `portolan plugin check` says of them.
//!
//! Invariant: only a contradiction about a function that both have makes the check unsound. Contracts contradict where
//! both list some on a network and have none in common, unless the plugin finds further ones on the chain.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use portolan_abi::map::lineage;
use portolan_base::network::Networks;
use portolan_plugins::Served;
use serde_json::{Value, json};

use super::call_format::CallFormat;
use super::comparison::FormatComparison;
use super::registry_descriptor::RegistryDescriptor;
use super::{contracts, formats};

/// What a registry's descriptor says of a plugin's claims.
#[derive(Debug)]
pub(crate) struct ClearSigningCheck {
    file: String,
    functions: Vec<FunctionCheck>,
    contracts: Vec<ContractsCheck>,
    /// Functions that claims call and that the descriptor lacks.
    only_in_plugin: Vec<String>,
    /// Functions of the descriptor that no claim calls.
    only_in_descriptor: Vec<String>,
}

/// A function that both have.
#[derive(Debug)]
struct FunctionCheck {
    function: String,
    /// What the descriptor says that it does.
    intent: String,
    found: FormatComparison,
}

/// The contracts on a network.
#[derive(Debug)]
struct ContractsCheck {
    /// The network's slug, or its chain id if it is not known.
    network: String,
    chain_id: u64,
    in_both: usize,
    only_in_plugin: BTreeSet<Address>,
    only_in_descriptor: BTreeSet<Address>,
    contradicts: bool,
}

impl ClearSigningCheck {
    /// Compares the protocols of one plugin with a descriptor.
    pub(crate) fn of(protocols: &[&Served], networks: &Networks, descriptor: &RegistryDescriptor) -> Self {
        let instance = protocols.first().map(|served| &served.instance);
        let own: Vec<CallFormat> = instance.map(|instance| formats(instance)).unwrap_or_default();
        let mut others = descriptor.formats.clone();
        let (mut functions, mut only_in_plugin) = (Vec::new(), Vec::new());
        for format in &own {
            let function = format.signature.plain();
            match others.remove(&format.signature.selector()) {
                Some(registry) => functions.push(FunctionCheck {
                    function,
                    found: FormatComparison::of(format, &registry),
                    intent: registry.intent,
                }),
                None => only_in_plugin.push(function),
            }
        }
        let lineages = instance.iter().flat_map(|instance| instance.catalogue.lineages.iter().flatten());
        let finds_targets = lineages.into_iter().any(|declared| declared.gives == lineage::TARGET);
        let contracts = protocols.iter().flat_map(|served| contracts(served)).collect();
        let may_contradict = !functions.is_empty() && !finds_targets;
        Self {
            file: descriptor.file.clone(),
            contracts: compared(&contracts, &descriptor.contracts, networks, may_contradict),
            functions,
            only_in_plugin,
            only_in_descriptor: others.into_values().map(|registry| registry.key).collect(),
        }
    }

    /// Returns true if nothing contradicts.
    pub(crate) fn is_sound(&self) -> bool {
        self.contradictions() == 0
    }

    fn contradictions(&self) -> usize {
        let of_functions: usize = self.functions.iter().map(|one| one.found.contradictions.len()).sum();
        of_functions + self.contracts.iter().filter(|one| one.contradicts).count()
    }

    /// Returns a line for each function and network, and one with the sums.
    pub(crate) fn lines(&self) -> Vec<String> {
        let file = &self.file;
        let mut lines: Vec<String> = self.functions.iter().flat_map(FunctionCheck::lines).collect();
        lines.extend(self.contracts.iter().map(ContractsCheck::line));
        for (what, names) in [
            ("not in the descriptor", &self.only_in_plugin),
            ("in the descriptor, and not called by claims", &self.only_in_descriptor),
        ] {
            lines.extend((!names.is_empty()).then(|| format!("{what}: {}", names.join(", "))));
        }
        let of_all = self.functions.len() + self.only_in_plugin.len();
        lines.push(format!(
            "{} of {of_all} claim functions are described; contradictions: {}",
            self.functions.len(),
            self.contradictions()
        ));
        lines.iter().map(|line| format!("{file}: {line}")).collect()
    }

    /// Returns the member of the list `clearSigning`.
    pub(crate) fn document(&self) -> Value {
        let function = |one: &FunctionCheck| {
            json!({
                "function": one.function,
                "intent": one.intent,
                "contradictions": one.found.contradictions,
                "notes": one.found.notes,
            })
        };
        let contracts = |one: &ContractsCheck| {
            json!({
                "network": one.network,
                "chainId": one.chain_id,
                "inBoth": one.in_both,
                "onlyInPlugin": addresses(&one.only_in_plugin),
                "onlyInDescriptor": addresses(&one.only_in_descriptor),
                "contradicts": one.contradicts,
            })
        };
        json!({
            "file": self.file,
            "sound": self.is_sound(),
            "functions": self.functions.iter().map(function).collect::<Vec<_>>(),
            "contracts": self.contracts.iter().map(contracts).collect::<Vec<_>>(),
            "onlyInPlugin": self.only_in_plugin,
            "onlyInDescriptor": self.only_in_descriptor,
        })
    }
}

impl FunctionCheck {
    fn lines(&self) -> Vec<String> {
        let Self { function, intent, found } = self;
        let agrees = found.contradictions.is_empty() && found.notes.is_empty();
        let contradictions = found.contradictions.iter().map(|reason| format!("{function} CONTRADICTS: it {reason}"));
        let notes = found.notes.iter().map(|reason| format!("{function} note: it {reason}"));
        let agreement = agrees.then(|| format!("{function} agrees, as {intent:?}"));
        contradictions.chain(notes).chain(agreement).collect()
    }
}

impl ContractsCheck {
    fn line(&self) -> String {
        let Self { network, in_both, only_in_plugin, only_in_descriptor, contradicts, .. } = self;
        let contradicts = if *contradicts { " CONTRADICT" } else { "" };
        format!(
            "{network} contracts{contradicts}: {in_both} in both, {} only of the plugin, {} only of the descriptor",
            only_in_plugin.len(),
            only_in_descriptor.len()
        )
    }
}

fn addresses(contracts: &BTreeSet<Address>) -> Vec<String> {
    contracts.iter().map(|contract| format!("{contract:#x}")).collect()
}

/// Compares contracts by network.
fn compared(
    own: &BTreeSet<(u64, Address)>,
    others: &BTreeSet<(u64, Address)>,
    networks: &Networks,
    may_contradict: bool,
) -> Vec<ContractsCheck> {
    let mut chains: BTreeMap<u64, [BTreeSet<Address>; 2]> = BTreeMap::new();
    for (place, contracts) in [own, others].into_iter().enumerate() {
        for (chain_id, contract) in contracts {
            chains.entry(*chain_id).or_default()[place].insert(*contract);
        }
    }
    let compared = chains.into_iter().map(|(chain_id, [own, others])| {
        let in_both = own.intersection(&others).count();
        let network = networks.with_chain_id(chain_id).map(|network| network.slug.clone());
        ContractsCheck {
            network: network.unwrap_or_else(|| format!("chain {chain_id}")),
            chain_id,
            in_both,
            only_in_plugin: own.difference(&others).copied().collect(),
            only_in_descriptor: others.difference(&own).copied().collect(),
            contradicts: may_contradict && in_both == 0 && !own.is_empty() && !others.is_empty(),
        }
    });
    compared.collect()
}
