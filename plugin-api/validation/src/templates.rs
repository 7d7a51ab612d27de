//! Claim templates and lineages of a catalogue: valid, and allowed by the table of functions or left out.
//!
//! Invariant: claims only use templates whose function is in the table, with the arguments given there, on the contracts
//! given there.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_abi::map::Catalogue;
use serde::Serialize;

use crate::functions::{ClaimFunctions, ClaimTargets};
use crate::lineage::{LineageError, Lineages};
use crate::template::{Template, TemplateError};

/// Templates and lineages that claims are made from; templates are in the order of the catalogue.
#[derive(Debug, Default)]
pub struct ClaimTemplates {
    templates: Vec<(Template, Result<ClaimTargets, String>)>,
    lineages: Lineages,
}

/// A template as operators see it. Its serialized names never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimStatus {
    /// Function, with a word per argument.
    pub call: String,
    /// Function for people, with the values of constant arguments.
    pub shown: String,
    /// True if claims may use it.
    pub allowed: bool,
    /// The contracts that claims by it may go to, if the table binds its function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contracts: Option<Vec<Address>>,
    /// Why not, and how to allow it.
    pub reason: Option<String>,
}

/// An error in a catalogue's templates or lineages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimTemplatesError {
    /// In a template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// In a lineage.
    #[error(transparent)]
    Lineage(#[from] LineageError),
}

impl ClaimTemplates {
    /// Parses the templates and lineages of a catalogue.
    ///
    /// # Errors
    /// If one of them is invalid.
    pub fn parse(catalogue: &Catalogue, functions: &ClaimFunctions) -> Result<Self, ClaimTemplatesError> {
        let contracts = catalogue.deployments.iter().flat_map(|row| row.contracts.iter().copied());
        let contracts: BTreeSet<Address> = contracts.collect();
        let parse = |declared| {
            let template = Template::parse(declared, |named| contracts.contains(&named))?;
            let allowed = functions.check(&template);
            Ok((template, allowed))
        };
        let templates = catalogue.claims.iter().map(parse).collect::<Result<_, TemplateError>>()?;
        let lineages = Lineages::parse(catalogue.lineages.as_deref().unwrap_or_default())?;
        Ok(Self { templates, lineages })
    }

    /// Returns a template by its index, and the contracts that claims by it may go to, or why claims may not use it.
    pub(crate) fn get(&self, place: u32) -> Option<(&Template, Result<&ClaimTargets, &str>)> {
        let (template, allowed) = self.templates.get(usize::try_from(place).ok()?)?;
        Some((template, allowed.as_ref().map_err(String::as_str)))
    }

    /// Returns the lineages of the catalogue.
    pub fn lineages(&self) -> &Lineages {
        &self.lineages
    }

    /// Returns true if some claims rely on reads of the job beside addresses.
    pub fn rest_on_reads(&self) -> bool {
        self.templates.iter().any(|(template, _)| template.rests_on_reads())
    }

    /// Iterates over the reasons why claims of some templates are left out.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().filter_map(|(_, allowed)| allowed.as_ref().err().map(String::as_str))
    }

    /// Returns the status of all templates, for operators.
    pub fn status(&self) -> Vec<ClaimStatus> {
        let status = |(template, allowed): &(Template, Result<ClaimTargets, String>)| ClaimStatus {
            call: template.call(),
            shown: template.shown(),
            allowed: allowed.is_ok(),
            contracts: match allowed {
                Ok(ClaimTargets::Only(contracts)) => Some(contracts.iter().copied().collect()),
                _ => None,
            },
            reason: allowed.clone().err(),
        };
        self.templates.iter().map(status).collect()
    }

    /// Parses the templates of a catalogue and allows all, whatever the table says; for tests of later steps. Stops at
    /// the first invalid one.
    #[doc(hidden)]
    pub fn all_allowed(catalogue: &Catalogue) -> Self {
        let parse = |declared| Template::parse(declared, |_| true).ok();
        let templates =
            catalogue.claims.iter().map_while(parse).map(|template| (template, Ok(ClaimTargets::Any))).collect();
        let lineages = Lineages::parse(catalogue.lineages.as_deref().unwrap_or_default()).unwrap_or_default();
        Self { templates, lineages }
    }
}
