//! What tokens tell of themselves, and of what they are made of: read once for an answer, for names and prices alike.
//!
//! Invariant: all questions of a wave are one batch, there are at most [`DEPTH_MAX`] + 1 waves, and no token is asked
//! twice. Facts stand for a day, so that most of them come from what is kept; a request that leaves for some all the same
//! takes along what prices will ask next, so that the reader has it when they do.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use portolan_reader::{Read, ReadFailure, Reply};

use super::At;
use super::shown::PAIRS_DEEP;
use super::told::{Told, questions, supply};
use crate::assets::price::Prices;

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
    pub(crate) async fn read(at: At<'_>, prices: &Prices, tokens: &BTreeSet<Address>) -> Self {
        let mut facts = Self::default();
        facts.add(at, prices, tokens).await;
        facts
    }

    /// Of these tokens, and of those that pairs are called after: what shows them, without what prices need.
    pub(super) async fn shown(at: At<'_>, tokens: &BTreeSet<Address>) -> Self {
        let mut facts = Self::default();
        facts.add_for(at, None, tokens).await;
        facts
    }

    /// The same of further tokens.
    pub(crate) async fn add(&mut self, at: At<'_>, prices: &Prices, tokens: &BTreeSet<Address>) {
        self.add_for(at, Some(prices), tokens).await;
    }

    async fn add_for(&mut self, at: At<'_>, prices: Option<&Prices>, tokens: &BTreeSet<Address>) {
        let mut next: BTreeSet<Address> = tokens.iter().filter(|token| !self.0.contains_key(*token)).copied().collect();
        let most = self.0.len() + 3 * next.len() + PARTS_MAX;
        let mut last = BTreeSet::new();
        for _ in 0..=prices.map_or(PAIRS_DEEP, |_| DEPTH_MAX) {
            self.ask(at, prices, &next, &last).await;
            last = std::mem::take(&mut next);
            next = self.unknown_parts(at, prices, &last);
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

    /// One request, for those whose facts are not kept.
    async fn ask(&mut self, at: At<'_>, prices: Option<&Prices>, tokens: &BTreeSet<Address>, last: &BTreeSet<Address>) {
        let mut open = Vec::new();
        for token in tokens {
            match kept(at, *token) {
                Some(replies) => self.hear(at, *token, &mut replies.into_iter()),
                None => open.push(*token),
            }
        }
        if !open.is_empty() {
            let questions = open.iter().copied().flat_map(questions);
            let reads = questions.chain(self.figures(at, prices, tokens, last)).collect();
            let mut replies = at.read(reads).await.into_iter();
            open.into_iter().for_each(|token| self.hear(at, token, &mut replies));
        }
    }

    fn hear(&mut self, at: At<'_>, token: Address, replies: &mut impl Iterator<Item = Reply>) {
        self.0.insert(token, Told::from_replies(at.network, token, replies));
    }

    /// What will be asked of these tokens at the block, as far as it is known already, and of those of the last wave.
    fn figures(
        &self,
        at: At<'_>,
        prices: Option<&Prices>,
        tokens: &BTreeSet<Address>,
        last: &BTreeSet<Address>,
    ) -> Vec<Read> {
        let supplies = tokens.iter().filter_map(|token| supply(*token));
        let Some(prices) = prices else { return supplies.collect() };
        let early = tokens.iter().flat_map(|token| prices.feed_reads(at.network, *token)).chain(supplies);
        let known = tokens.iter().chain(last).filter_map(|token| Some((*token, self.get(*token).ok()?)));
        early.chain(known.flat_map(|(token, told)| prices.amount_reads(at.network, token, told))).collect()
    }

    /// A pair is called after its parts; those of others serve their prices alone, and not where one is stated.
    fn unknown_parts(&self, at: At<'_>, prices: Option<&Prices>, of: &BTreeSet<Address>) -> BTreeSet<Address> {
        let made_of = of.iter().filter_map(|token| {
            let made_of = self.get(*token).ok()?.made_of.as_ref()?;
            let is_priced = prices.is_some_and(|prices| !prices.is_stated(at.network, *token));
            (made_of.pair().is_some() || is_priced).then_some(made_of)
        });
        made_of.flat_map(|made_of| made_of.parts()).filter(|part| !self.0.contains_key(*part)).copied().collect()
    }
}

/// The replies to its questions, where none of them takes a request.
fn kept(at: At<'_>, token: Address) -> Option<Vec<Reply>> {
    at.session.cached(&questions(token).collect::<Vec<_>>())
}

/// What has to be read to show these tokens, as far as is known from what is kept. Of those in `asked` nothing: what is
/// read now comes into it.
pub(crate) fn open_reads(at: At<'_>, tokens: &BTreeSet<Address>, asked: &mut BTreeSet<Address>) -> Vec<Read> {
    let (mut facts, mut reads, mut next) = (Facts::default(), Vec::new(), tokens.clone());
    for _ in 0..=PAIRS_DEEP {
        for token in &next {
            let open = match kept(at, *token) {
                Some(replies) => {
                    facts.hear(at, *token, &mut replies.into_iter());
                    let is_open = |read: &Read| at.session.cached(std::slice::from_ref(read)).is_none();
                    supply(*token).filter(is_open).into_iter().collect()
                }
                None => questions(*token).chain(supply(*token)).collect::<Vec<_>>(),
            };
            if !open.is_empty() && asked.insert(*token) {
                reads.extend(open);
            }
        }
        next = facts.unknown_parts(at, None, &next).into_iter().take(PARTS_MAX).collect();
    }
    reads
}

#[cfg(test)]
impl FromIterator<(Address, Result<Told, ReadFailure>)> for Facts {
    fn from_iter<T: IntoIterator<Item = (Address, Result<Told, ReadFailure>)>>(told: T) -> Self {
        Self(told.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
