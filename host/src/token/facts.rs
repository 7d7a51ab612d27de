//! What tokens tell of themselves, and of what they are made of: read once for an answer, for names and prices alike.
//!
//! Invariant: all questions of a wave are one batch, there are at most [`DEPTH_MAX`] + 1 waves, and no token is asked
//! twice. Facts stand for a day, so that most of them come from what is kept.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use portolan_reader::ReadFailure;

use super::At;
use super::told::{Told, questions};

/// A share of a share of a receipt is three deep, and no known token goes below four.
pub(crate) const DEPTH_MAX: usize = 4;

/// Tokens that others are made of, in one answer, beside two for each that is asked about; keeps a ring of hostile
/// pairs from filling the memory.
const PARTS_MAX: usize = 4096;

/// The facts of one network's tokens.
#[derive(Debug, Default)]
pub(crate) struct Facts(BTreeMap<Address, Result<Told, ReadFailure>>);

impl Facts {
    /// Of these tokens, and of those that they are made of.
    pub(crate) async fn read(at: At<'_>, tokens: &BTreeSet<Address>) -> Self {
        let mut facts = Self::default();
        facts.add(at, tokens).await;
        facts
    }

    /// The same of further tokens.
    pub(crate) async fn add(&mut self, at: At<'_>, tokens: &BTreeSet<Address>) {
        let mut next: BTreeSet<Address> = tokens.iter().filter(|token| !self.0.contains_key(*token)).copied().collect();
        let most = self.0.len() + 3 * next.len() + PARTS_MAX;
        for _ in 0..=DEPTH_MAX {
            self.ask(at, &next).await;
            next = self.unknown_parts(&next);
            let room = most.saturating_sub(self.0.len());
            if next.len() > room {
                tracing::debug!(network = %at.network.slug, left_out = next.len() - room, "too many parts of tokens");
                next = next.into_iter().take(room).collect();
            }
        }
    }

    /// # Errors
    /// Why it could not be read.
    pub(crate) fn get(&self, token: Address) -> Result<&Told, ReadFailure> {
        self.0.get(&token).ok_or(ReadFailure::Upstream)?.as_ref().map_err(|failure| *failure)
    }

    /// Those that could be read.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Address, &Told)> {
        self.0.iter().filter_map(|(token, told)| Some((*token, told.as_ref().ok()?)))
    }

    async fn ask(&mut self, at: At<'_>, tokens: &BTreeSet<Address>) {
        let reads = tokens.iter().copied().flat_map(questions).collect();
        let mut replies = at.read(reads).await.into_iter();
        let told = |token: &Address| (*token, Told::from_replies(at.network, *token, &mut replies));
        self.0.extend(tokens.iter().map(told));
    }

    fn unknown_parts(&self, of: &BTreeSet<Address>) -> BTreeSet<Address> {
        let made_of = of.iter().filter_map(|token| self.get(*token).ok()?.made_of.as_ref());
        made_of.flat_map(|made_of| made_of.parts()).filter(|part| !self.0.contains_key(*part)).copied().collect()
    }
}

#[cfg(test)]
impl FromIterator<(Address, Result<Told, ReadFailure>)> for Facts {
    fn from_iter<T: IntoIterator<Item = (Address, Result<Told, ReadFailure>)>>(told: T) -> Self {
        Self(told.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
