//! The rate of the currency that a client wants values in beside dollars.
//!
//! Invariant: the rate is read at the answer's block of one network. Without a rate, values in the currency are null,
//! and the answer lacks something.

use std::sync::Arc;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::Sign;
use portolan_assets::price::{Currency, Price};
use portolan_base::network::Network;
use portolan_reader::{BlockRef, ReadFailure, Session};

use crate::gateway::answer::{AnswerCurrency, MissingEntry};
use crate::gateway::context::{Context, Sources};
use crate::gateway::query::BlockChoice;
use crate::jobs::failure::Reason;

/// Subject of missing entries, in the place of a protocol's slug.
const SUBJECT: &str = "currency";

/// A rate to be read while the answer is worked on.
pub(super) struct RateLookup {
    currency: Currency,
    /// The network that has the rate, and its session.
    at: Option<(Arc<Network>, Result<Arc<Session>, ReadFailure>)>,
    sources: Arc<Sources>,
}

/// Selects the networks that the rate may be read on: those that the answer reads, or else another one that it may
/// read too. Empty if no rate is wanted or no network has it.
pub(super) fn networks(context: &Context, read: &[Arc<Network>]) -> Vec<Arc<Network>> {
    let Some(currency) = context.options.currency.filter(|currency| !currency.is_dollar()) else { return Vec::new() };
    let may_read_others = match context.options.blocks {
        BlockChoice::Newest => true,
        BlockChoice::Named(named) => !matches!(named, BlockRef::Number(_) | BlockRef::Hash(_)),
        BlockChoice::Each(_) => false,
    };
    let others = context.networks().iter().filter(|_| may_read_others);
    let has_rate = |network: &&Arc<Network>| {
        context.sources.with_endpoint.contains(&network.chain_id) && context.sources.prices.has_rate(network, currency)
    };
    let of_answer: Vec<_> = read.iter().filter(has_rate).cloned().collect();
    if of_answer.is_empty() { others.filter(has_rate).take(1).cloned().collect() } else { of_answer }
}

impl RateLookup {
    /// `networks` are those that [`networks`] selected, which are open; the first one with a block counts. Returns
    /// `None` if no currency is wanted.
    pub(super) fn new(context: &Context, networks: Vec<Arc<Network>>) -> Option<Self> {
        let session = |network: &Arc<Network>| context.session(network).map(|session| session.until(context.end()));
        let mut tried: Vec<_> = networks.into_iter().map(|network| (session(&network), network)).collect();
        tried.sort_by_key(|(session, _)| session.is_err());
        let at = tried.into_iter().next().map(|(session, network)| (network, session));
        Some(Self { currency: context.options.currency?, at, sources: Arc::clone(&context.sources) })
    }

    /// Reads the rate.
    ///
    /// # Errors
    /// Returns the currency without a rate, and what the answer lacks.
    pub(super) async fn read(self) -> (AnswerCurrency, Option<MissingEntry>) {
        let Self { currency, at, sources } = self;
        let (network, rate) = match at {
            None if currency.is_dollar() => (None, Ok(dollar())),
            None => (None, Err(Reason::NotConfigured)),
            Some((network, Err(failure))) => (Some(network), Err(failure.into())),
            Some((network, Ok(session))) => {
                let prices = if session.is_past() { &sources.past_prices } else { &sources.prices };
                let rate = prices.rate(&session, &network, currency).await;
                let rate = rate.filter(|rate| rate.usd.sign() == Sign::Plus).ok_or(Reason::Upstream);
                (Some(network), rate)
            }
        };
        let missing = rate.as_ref().err().map(|reason| MissingEntry {
            subject: SUBJECT.into(),
            network: network.clone(),
            reason: *reason,
            count: None,
        });
        (AnswerCurrency { currency, network, rate: rate.ok() }, missing)
    }
}

fn dollar() -> Price {
    Price { usd: BigDecimal::from(1), source: "static", age_s: None, contracts: Vec::new() }
}
