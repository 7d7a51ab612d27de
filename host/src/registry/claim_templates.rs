//! The claim templates of an instance: sound in themselves, and allowed by the table of functions or left out.
//!
//! Invariant: a claim is made only from a template whose function is in the table, with the arguments that stand there.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_abi::map::Catalogue;
use portolan_claims::{ClaimFunctions, Template, TemplateError};
use serde::Serialize;

/// In the order of the catalogue.
#[derive(Debug, Default)]
pub(crate) struct ClaimTemplates(Vec<(Template, Result<(), String>)>);

/// A template as `/plugins` shows it. The names that it serializes to stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimStatus {
    /// The function, with a word for each argument.
    pub(crate) call: String,
    /// Whether claims may be made from it.
    pub(crate) allowed: bool,
    /// Why not, and what allows it.
    pub(crate) reason: Option<String>,
}

impl ClaimTemplates {
    /// Those of a catalogue.
    ///
    /// # Errors
    /// One of them is wrong in itself.
    pub(crate) fn parse(catalogue: &Catalogue, functions: &ClaimFunctions) -> Result<Self, TemplateError> {
        let contracts = catalogue.deployments.iter().flat_map(|row| row.contracts.iter().copied());
        let contracts: BTreeSet<Address> = contracts.collect();
        let parse = |declared| {
            let template = Template::parse(declared, |named| contracts.contains(&named))?;
            let allowed = functions.check(&template);
            Ok((template, allowed))
        };
        Ok(Self(catalogue.claims.iter().map(parse).collect::<Result<_, _>>()?))
    }

    /// A template by its place, and why no claims are made from it.
    pub(crate) fn get(&self, place: usize) -> Option<(&Template, Result<(), &str>)> {
        let (template, allowed) = self.0.get(place)?;
        Some((template, allowed.as_ref().copied().map_err(String::as_str)))
    }

    /// Why claims of some templates are left out, a sentence each.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(_, allowed)| allowed.as_ref().err().map(String::as_str))
    }

    pub(crate) fn status(&self) -> Vec<ClaimStatus> {
        let status = |(template, allowed): &(Template, Result<(), String>)| ClaimStatus {
            call: template.call(),
            allowed: allowed.is_ok(),
            reason: allowed.clone().err(),
        };
        self.0.iter().map(status).collect()
    }
}

#[cfg(any(test, feature = "fuzzing"))]
impl ClaimTemplates {
    /// Those of a catalogue, all of them allowed; those after one that is wrong are not there.
    pub(crate) fn all_allowed(catalogue: &Catalogue) -> Self {
        let parse = |declared| Template::parse(declared, |_| true).ok();
        Self(catalogue.claims.iter().map_while(parse).map(|template| (template, Ok(()))).collect())
    }
}
