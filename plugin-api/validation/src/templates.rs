//! The claim templates and lineages of a catalogue: sound in themselves, and allowed by the table of functions or left
//! out.
//!
//! Invariant: a claim is made only from a template whose function is in the table, with the arguments that stand there.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_abi::map::Catalogue;
use serde::Serialize;

use crate::functions::ClaimFunctions;
use crate::lineage::{LineageError, Lineages};
use crate::template::{Template, TemplateError};

/// What the claims of a catalogue are made from; templates stand in the order of the catalogue.
#[derive(Debug, Default)]
pub struct ClaimTemplates {
    templates: Vec<(Template, Result<(), String>)>,
    lineages: Lineages,
}

/// A template as an operator sees it. The names that it serializes to stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimStatus {
    /// The function, with a word for each argument.
    pub call: String,
    /// The same, with what stands in the arguments that are always the same.
    pub shown: String,
    /// Whether claims may be made from it.
    pub allowed: bool,
    /// Why not, and what allows it.
    pub reason: Option<String>,
}

/// What is wrong with a catalogue's templates or lineages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimTemplatesError {
    /// A template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A lineage.
    #[error(transparent)]
    Lineage(#[from] LineageError),
}

impl ClaimTemplates {
    /// Those of a catalogue.
    ///
    /// # Errors
    /// One of them is wrong in itself.
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

    /// A template by its place, and why no claims are made from it.
    pub(crate) fn get(&self, place: u32) -> Option<(&Template, Result<(), &str>)> {
        let (template, allowed) = self.templates.get(usize::try_from(place).ok()?)?;
        Some((template, allowed.as_ref().copied().map_err(String::as_str)))
    }

    /// The catalogue's.
    pub fn lineages(&self) -> &Lineages {
        &self.lineages
    }

    /// Whether some claims rest on what a job read beside addresses.
    pub fn rest_on_reads(&self) -> bool {
        self.templates.iter().any(|(template, _)| template.rests_on_reads())
    }

    /// Whether a contract checks the numbers of some claims against a Merkle proof.
    pub fn have_proofs(&self) -> bool {
        self.templates.iter().any(|(template, _)| template.has_proof())
    }

    /// Why claims of some templates are left out, a sentence each.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().filter_map(|(_, allowed)| allowed.as_ref().err().map(String::as_str))
    }

    /// All of them, for operators.
    pub fn status(&self) -> Vec<ClaimStatus> {
        let status = |(template, allowed): &(Template, Result<(), String>)| ClaimStatus {
            call: template.call(),
            shown: template.shown(),
            allowed: allowed.is_ok(),
            reason: allowed.clone().err(),
        };
        self.templates.iter().map(status).collect()
    }

    /// Those of a catalogue, all of them allowed, whatever the table says; for tests of what comes after. Those after
    /// one that is wrong are not there.
    #[doc(hidden)]
    pub fn all_allowed(catalogue: &Catalogue) -> Self {
        let parse = |declared| Template::parse(declared, |_| true).ok();
        let templates = catalogue.claims.iter().map_while(parse).map(|template| (template, Ok(()))).collect();
        let lineages = Lineages::parse(catalogue.lineages.as_deref().unwrap_or_default()).unwrap_or_default();
        Self { templates, lineages }
    }
}
