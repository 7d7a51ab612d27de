//! Names in queries: the record of a name or an account as an answer, and the account that a name leads to.
//!
//! Invariant: all that is told of a name is of one block of Ethereum, where names live; where no endpoint knows that
//! block any more it is asked again at another: once.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_reader::{Block, Pins, ReadFailure, Reader, Session};

use crate::gateway::answer::{Answer, Items, Missing, NameRecord};
use crate::gateway::deadline::Deadline;
use crate::gateway::pin;
use crate::gateway::problem::{Problem, quoted};
use crate::gateway::query::Lookup;
use crate::jobs::failure::Reason;
use crate::names::{At, CoinType, Detail, Facts, MAINNET, Name, NameFailure, Named, Names, Resolved};
use crate::network::{Network, Networks};

/// What names are read from.
pub(crate) struct Naming<'a> {
    pub(crate) networks: &'a Networks,
    pub(crate) reader: Arc<dyn Reader>,
    pub(crate) names: &'a Names,
    pub(crate) deadline: Deadline,
}

/// What is looked up.
#[derive(Clone, Copy)]
enum Sought<'a> {
    /// The address of a name.
    Address(&'a Name),
    /// The name of an account.
    Name(Address),
}

impl Naming<'_> {
    /// The account that a name leads to, and the block at which it does.
    ///
    /// # Errors
    /// As [`Naming::address`].
    pub(crate) async fn account(&self, name: &Name) -> Result<(Address, Pins), Problem> {
        let lookup = Lookup { coin: CoinType::ETHEREUM, full: false };
        let (record, block) = self.look_up(Sought::Address(name), lookup, self.pin().await).await?;
        Ok((record.resolved.address, Pins::from([(MAINNET, Ok(block))])))
    }

    /// The record of a name.
    ///
    /// # Errors
    /// [`Problem::NameNotFound`] where it is known to have no address; else why that is not known.
    pub(crate) async fn address(&self, name: &Name, lookup: Lookup) -> Result<Answer, Problem> {
        let (record, block) = self.look_up(Sought::Address(name), lookup, self.pin().await).await?;
        Ok(self.answer(record, block))
    }

    /// The record of an account's primary name, at the block that is pinned already, if one is.
    ///
    /// # Errors
    /// [`Problem::NameNotFound`] where it is known to have none; else why that is not known.
    pub(crate) async fn name(&self, account: Address, lookup: Lookup, pins: &Pins) -> Result<Answer, Problem> {
        let pinned = match pins.get(&MAINNET) {
            Some(pinned) => *pinned,
            None => self.pin().await,
        };
        let (record, block) = self.look_up(Sought::Name(account), lookup, pinned).await?;
        Ok(self.answer(record, block))
    }

    async fn look_up(
        &self,
        sought: Sought<'_>,
        lookup: Lookup,
        pinned: Result<Block, ReadFailure>,
    ) -> Result<(NameRecord, Block), Problem> {
        let told = match self.look_up_at(sought, lookup, pinned).await {
            Err(NameFailure::Unread(ReadFailure::BlockLost)) => self.look_up_at(sought, lookup, self.pin().await).await,
            told => told,
        };
        told.map_err(|failure| problem(sought, failure))
    }

    async fn look_up_at(
        &self,
        sought: Sought<'_>,
        lookup: Lookup,
        pinned: Result<Block, ReadFailure>,
    ) -> Result<(NameRecord, Block), NameFailure> {
        let (block, coins) = (pinned?, self.coins(lookup));
        let detail = if lookup.full { Detail::Full(&coins) } else { Detail::Address };
        let session = Session::open(Arc::clone(&self.reader), MAINNET, block, self.deadline.of_reads());
        let at = At { session, coin: lookup.coin, detail };
        let record = match sought {
            Sought::Address(name) => {
                let resolved = self.names.addresses(&at, std::slice::from_ref(name)).await.pop();
                resolved.map(|resolved| resolved.map(NameRecord::from))
            }
            Sought::Name(account) => {
                let named = self.names.names(&at, &[account]).await.pop();
                named.map(|named| named.map(NameRecord::from))
            }
        };
        Ok((record.unwrap_or(Err(ReadFailure::Upstream.into()))?, block))
    }

    async fn pin(&self) -> Result<Block, ReadFailure> {
        let mainnet = self.networks.with_chain_id(MAINNET).into_iter();
        let pins = pin::pin(self.reader.as_ref(), mainnet, self.deadline).await;
        pins.get(&MAINNET).copied().unwrap_or(Err(ReadFailure::NotConfigured))
    }

    /// Of the networks that are known, but for the one that is asked about.
    fn coins(&self, lookup: Lookup) -> Vec<CoinType> {
        let known = self.networks.iter().filter_map(|network| CoinType::of_chain(network.chain_id));
        known.filter(|coin| lookup.full && *coin != lookup.coin).collect()
    }

    fn answer(&self, record: NameRecord, block: Block) -> Answer {
        let mainnet = self.networks.with_chain_id(MAINNET);
        let lost = record.resolved.facts.as_ref().and_then(first_lost);
        let missing = |reason| Missing { subject: SUBJECT.to_owned(), network: mainnet.cloned(), reason, count: None };
        Answer {
            missing: lost.map(missing).into_iter().collect(),
            blocks: mainnet.map(|network: &Arc<Network>| (Arc::clone(network), block)).into_iter().collect(),
            items: Items::Name(record),
            jobs: Vec::new(),
            about_account: true,
        }
    }
}

/// What stands where jobs have a protocol's slug.
const SUBJECT: &str = "names";

/// Why a fact could not be read, where one could not.
fn first_lost(facts: &Facts) -> Option<Reason> {
    let addresses = facts.addresses.iter().map(|(_, address)| address.as_ref().err());
    let lost = [facts.expires_s.as_ref().err(), facts.avatar.as_ref().err()].into_iter().chain(addresses);
    lost.flatten().next().map(|failure| if failure.is_timeout() { Reason::Timeout } else { Reason::Upstream })
}

impl From<Resolved> for NameRecord {
    fn from(resolved: Resolved) -> Self {
        Self { via_gateway: resolved.via_gateway, resolved }
    }
}

impl From<Named> for NameRecord {
    fn from(Named { resolved, via_gateway, .. }: Named) -> Self {
        Self { via_gateway: via_gateway || resolved.via_gateway, resolved }
    }
}

fn problem(sought: Sought<'_>, failure: NameFailure) -> Problem {
    let detail = match sought {
        Sought::Address(name) => format!("{}: {failure}", quoted(name.as_str())),
        Sought::Name(account) => format!("{account:#x}: {failure}"),
    };
    match failure {
        NameFailure::Absent(_) => Problem::NameNotFound(detail),
        NameFailure::Unread(ReadFailure::NotConfigured) => {
            Problem::NetworkNotConfigured("names stand on ethereum, which has no endpoint here".into())
        }
        failure if failure.is_timeout() => Problem::Deadline(detail),
        _ => Problem::Upstream(detail),
    }
}
