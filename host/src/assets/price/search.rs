//! One network's prices for one answer: one wave of what feeds tell and of how much tokens hold of what they are made
//! of, then prices from the parts up.
//!
//! Invariant: who tokens are is known before ([`Facts`]), all that is read is one batch, and a token that is made of
//! itself has no price, for its price would have to come first.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Duration;

use alloy::primitives::{Address, U256};
use portolan_reader::{Read, Reply};
use tokio::time::Instant;

use super::Prices;
use super::feeds::{self, Feed};
use super::worth::{self, Part};
use crate::assets::composition::Composed;
use crate::assets::price::Price;
use crate::assets::token::{At, DEPTH_MAX, Facts, MadeOf, Told};

/// The HTTP source may use that part of the time that is left, for what the chain does not tell.
const HTTP_PART: u32 = 4;

/// And no more than that: a source that answers at all does so within a second.
const HTTP_WAIT_MAX: Duration = Duration::from_millis(1500);

pub(super) struct Search<'a> {
    prices: &'a Prices,
    at: At<'a>,
    facts: &'a Facts,
    composed: &'a Composed,
    http_until: Instant,
    known: BTreeMap<Address, Known>,
}

/// What is known of one token.
#[derive(Debug, Default)]
struct Known {
    decimals: Option<u8>,
    price: Option<Price>,
    /// With the amounts that it holds of its parts.
    made_of: Option<(MadeOf, Vec<Reply>)>,
}

/// The places of one token's replies within the wave.
struct Places {
    token: Address,
    feeds: Vec<(Feed, Range<usize>)>,
    amounts: Range<usize>,
}

impl<'a> Search<'a> {
    pub(super) fn new(prices: &'a Prices, at: At<'a>, facts: &'a Facts, composed: &'a Composed) -> Self {
        let now = Instant::now();
        let wait = (at.session.deadline().saturating_duration_since(now) / HTTP_PART).min(HTTP_WAIT_MAX);
        Self { prices, at, facts, composed, http_until: now + wait, known: BTreeMap::new() }
    }

    /// Prices of all tokens that facts are known of, and the replies to `riders`.
    pub(super) async fn run(mut self, riders: Vec<Read>) -> (HashMap<Address, Price>, Vec<Reply>) {
        let ridden = self.wave(riders).await;
        self.hear_http().await;
        for _ in 0..DEPTH_MAX {
            self.derive();
        }
        let priced = self.known.into_iter().filter_map(|(token, known)| Some((token, known.price?)));
        (priced.collect(), ridden)
    }

    /// Reads what feeds say and how much is in what is made of others. What comes out are the replies to `riders`.
    async fn wave(&mut self, riders: Vec<Read>) -> Vec<Reply> {
        let riding = riders.len();
        let mut reads = riders;
        let places: Vec<Places> = self.facts.iter().map(|(token, told)| self.ask(token, told, &mut reads)).collect();
        self.start_http(&places);
        let mut replies = self.at.read(reads).await;
        for places in places {
            let Ok(told) = self.facts.get(places.token) else { continue };
            let price = self.stated(places.token).or_else(|| self.written(&places, &replies));
            let amounts = replies.get(places.amounts).unwrap_or_default().to_vec();
            let made_of = told.made_of.map(|made_of| (made_of, amounts));
            self.known.insert(places.token, Known { decimals: told.decimals, price, made_of });
        }
        replies.truncate(riding);
        replies
    }

    fn ask(&self, token: Address, told: &Told, reads: &mut Vec<Read>) -> Places {
        let feeds = self.prices.feeds_of(self.at.network, token).iter();
        let feeds = feeds.map(|feed| (*feed, push(reads, feeds::reads(*feed)))).collect();
        Places { token, feeds, amounts: push(reads, self.prices.amount_reads(self.at.network, token, told)) }
    }

    /// What the operator states.
    fn stated(&self, token: Address) -> Option<Price> {
        let usd = self.prices.stated(self.at.network, token)?.clone();
        Some(Price { usd, source: "static", age_s: None })
    }

    /// What its feeds tell, if all of them are good.
    fn written(&self, places: &Places, replies: &[Reply]) -> Option<Price> {
        let told = places.feeds.iter().map(|(feed, at)| {
            let replies = replies.get(at.clone()).unwrap_or_default();
            feeds::judge(*feed, replies, self.at.session.block().timestamp).inspect_err(|fault| {
                let network = &self.at.network.slug;
                tracing::debug!(%network, feed = %feed.address, block = self.at.session.block().number, %fault, "feed is not used");
            })
        });
        let told = told.collect::<Result<Vec<_>, _>>().ok()?.into_iter();
        let told = told.reduce(|all, one| feeds::Told { usd: all.usd * one.usd, age_s: all.age_s.max(one.age_s) })?;
        Some(Price { usd: told.usd, source: "chainlink", age_s: Some(told.age_s) })
    }

    /// What nobody states or writes is asked for while the chain is read.
    fn start_http(&self, places: &[Places]) {
        let Some(http) = &self.prices.http else { return };
        let unwritten = places.iter().filter(|places| places.feeds.is_empty()).map(|places| places.token);
        let wanted: Vec<Address> = unwritten.filter(|token| self.stated(*token).is_none()).collect();
        http.start(self.at.network.chain_id, &wanted);
    }

    /// Waits for the HTTP source only where there is no price yet.
    async fn hear_http(&mut self) {
        let Some(http) = &self.prices.http else { return };
        let unpriced = self.known.iter().filter(|(_, known)| known.price.is_none());
        let wanted: Vec<Address> = unpriced.map(|(token, _)| *token).collect();
        for (token, quote) in http.ask(self.at.network.chain_id, &wanted, self.http_until).await {
            let known = self.known.entry(token).or_default();
            let is_same = quote.decimals.is_none() || known.decimals.is_none() || quote.decimals == known.decimals;
            if !is_same {
                tracing::debug!(network = %self.at.network.slug, %token, "quote is of a token with other decimals");
                continue;
            }
            let age_s = self.at.session.block().timestamp.saturating_sub(quote.timestamp);
            known.price = Some(Price { usd: quote.usd, source: "llama", age_s: Some(age_s) });
        }
    }

    /// Prices of what is made of priced parts. A token gets its price one round after the last of its parts.
    fn derive(&mut self) {
        let unpriced = self.known.iter().filter(|(_, known)| known.price.is_none());
        let derived: Vec<(Address, Price)> =
            unpriced.filter_map(|(token, known)| Some((*token, self.derived(*token, known)?))).collect();
        for (token, price) in derived {
            self.known.entry(token).or_default().price = Some(price);
        }
    }

    fn derived(&self, token: Address, known: &Known) -> Option<Price> {
        let decimals = known.decimals?;
        if let Some(composition) = self.composed.get(token) {
            let (parts, age_s) = self.priced(composition.parts())?;
            let amounts: Vec<U256> = composition.parts.iter().map(|(_, amount)| *amount).collect();
            let usd = worth::composed(&amounts, composition.supply, decimals, &parts)?;
            return Some(Price { usd, source: "derived:composition", age_s });
        }
        let (made_of, amounts) = known.made_of.as_ref()?;
        let (parts, age_s) = self.priced(made_of.parts().iter())?;
        let usd = made_of.worth(decimals, amounts, &parts)?;
        Some(Price { usd, source: made_of.source(), age_s })
    }

    /// Parts with their prices, and the age of the oldest; `None` where one has no price.
    fn priced<'p>(&self, tokens: impl Iterator<Item = &'p Address>) -> Option<(Vec<Part>, Option<u64>)> {
        let (mut parts, mut oldest_s) = (Vec::new(), None);
        for token in tokens {
            let Known { decimals, price, .. } = self.known.get(token)?;
            let price = price.as_ref()?;
            parts.push(Part { usd: price.usd.clone(), decimals: (*decimals)? });
            oldest_s = oldest_s.max(price.age_s);
        }
        Some((parts, oldest_s))
    }
}

/// Adds reads; where their replies will be.
fn push(reads: &mut Vec<Read>, more: impl IntoIterator<Item = Read>) -> Range<usize> {
    let start = reads.len();
    reads.extend(more);
    start..reads.len()
}
