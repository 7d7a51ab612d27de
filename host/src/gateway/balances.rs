//! Balances of an account: of native tokens, or of the tokens that lists name; of all networks at once.
//!
//! Invariant: a network's balances are at one block, and a token that could not be read is counted and named: it
//! neither hides another nor passes for a zero.

mod listed;
mod look;
mod lost;
mod native;

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use futures_util::future::join_all;
use portolan_reader::{Pins, ReadFailure, Reader};

use self::look::Look;
use crate::assets::price::Prices;
use crate::assets::token_list::TokenIndex;
use crate::gateway::answer::{Answer, Balance, Items, Missing};
use crate::gateway::compositions::Plugins;
use crate::gateway::deadline::Deadline;
use crate::gateway::problem::Problem;
use crate::gateway::query::Assets;
use crate::gateway::{pin, report};
use crate::jobs::failure::Reason;
use crate::network::{Network, Networks};

/// Whose balances of what, and what is known where.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) assets: Assets,
    pub(crate) account: Address,
    /// The one that the client named.
    pub(crate) chain_id: Option<u64>,
    /// The lists as they are when the answer begins.
    pub(crate) index: Arc<TokenIndex>,
    /// Networks with an endpoint.
    pub(crate) configured: BTreeSet<u64>,
    /// Networks with a deployment of a loaded plugin.
    pub(crate) deployed: BTreeSet<u64>,
}

impl Asked {
    /// The networks to ask, in the order of answers: the one that was named, else those where there may be something.
    /// A network without an endpoint is among them only where something is known to be missed.
    pub(crate) fn networks<'a>(&self, all: &'a Networks) -> Vec<&'a Arc<Network>> {
        all.iter().filter(|network| self.asks(network.chain_id)).collect()
    }

    fn asks(&self, chain_id: u64) -> bool {
        let is_listed = !self.index.tokens(chain_id).is_empty();
        match (self.chain_id, self.assets) {
            (Some(named), _) => named == chain_id,
            (None, Assets::Tokens) => is_listed,
            (None, Assets::Native) => {
                is_listed || self.configured.contains(&chain_id) || self.deployed.contains(&chain_id)
            }
        }
    }

    /// What stands where jobs have a protocol's slug.
    fn subject(&self) -> &'static str {
        match self.assets {
            Assets::Native => "native",
            Assets::Tokens => "tokens",
        }
    }

    /// Zero is an answer only to who asks for one network's native token.
    fn shows_zero(&self) -> bool {
        self.assets == Assets::Native && self.chain_id.is_some()
    }

    /// The problem to answer with where there is nothing to ask, though not because there is nothing.
    fn unanswerable(&self, networks: &[&Arc<Network>]) -> Option<Problem> {
        match self.assets {
            Assets::Native if networks.is_empty() => {
                Some(Problem::NetworkNotConfigured("no network has an endpoint".into()))
            }
            Assets::Tokens if self.index.len() == 0 && self.index.lists_missing() > 0 => {
                Some(Problem::Upstream("no token list could be read yet".into()))
            }
            _ => None,
        }
    }
}

/// What balances are read from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) networks: &'a Networks,
    pub(crate) reader: &'a Arc<dyn Reader>,
    pub(crate) plugins: &'a Plugins<'a>,
    pub(crate) prices: &'a Prices,
}

/// Reads all networks that are asked, at their pinned blocks, and makes an answer of what they told.
///
/// # Errors
/// Nothing could be read.
pub(crate) async fn answer(
    sources: Sources<'_>,
    asked: &Asked,
    mut pins: Pins,
    deadline: Deadline,
) -> Result<Answer, Problem> {
    let networks = asked.networks(sources.networks);
    if let Some(problem) = asked.unanswerable(&networks) {
        return Err(problem);
    }
    let looks = networks.into_iter().map(|network| {
        let pinned = pins.get(&network.chain_id).copied().unwrap_or(Err(ReadFailure::NotConfigured));
        Look { sources, asked, network, deadline }.run(pinned)
    });
    let (mut rows, mut jobs) = (Vec::new(), Vec::new());
    for told in join_all(looks).await {
        pins.insert(told.report.network.chain_id, told.pinned);
        rows.extend(told.rows);
        jobs.push(told.report);
        jobs.extend(told.by_plugins);
    }
    if let Some(problem) = report::all_failed(&jobs) {
        return Err(problem);
    }
    let mut missing = report::missing(sources.networks, &pins, &jobs);
    missing.extend(lists_missing(asked));
    let blocks = pin::blocks(sources.networks, &pins);
    Ok(Answer { items: items(asked, rows)?, blocks, missing, jobs, about_account: true })
}

/// One object where the client asked for one network's native token.
fn items(asked: &Asked, mut rows: Vec<Balance>) -> Result<Items, Problem> {
    if asked.assets == Assets::Tokens || asked.chain_id.is_none() {
        return Ok(Items::Balances(rows));
    }
    rows.pop().map(Items::NativeBalance).ok_or_else(|| Problem::Internal("the balance was lost on its way".into()))
}

/// Tokens of a list that was never read are unknown, on whichever network, and nobody knows how many.
fn lists_missing(asked: &Asked) -> Option<Missing> {
    let is_told = asked.assets == Assets::Tokens && asked.index.lists_missing() > 0;
    let subject = asked.subject().to_owned();
    is_told.then_some(Missing { subject, network: None, reason: Reason::Upstream, count: None })
}

#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;
