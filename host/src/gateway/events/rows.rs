//! From events to rows of an answer: token metadata, protocols and networks in the place of addresses, slugs and ids.
//!
//! Invariant: a row whose tokens could not be read is left out, never shown half.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_events::{Asset, Event, Value};
use portolan_reader::ReadFailure;

use crate::assets::resolve::Tokens;
use crate::events::merge::MergedEvent;
use crate::gateway::answer::{self, Amount, Member, Remote};
use crate::network::Networks;
use crate::registry::Snapshot;
use crate::registry::protocol::Protocol;

/// Makes rows.
pub(super) struct Rows<'a> {
    pub(super) networks: &'a Networks,
    pub(super) snapshot: &'a Snapshot,
    pub(super) tokens: &'a Tokens,
}

/// The tokens that an event names.
pub(super) fn tokens(event: &Event) -> impl Iterator<Item = Address> {
    event.members.iter().flat_map(|(_, value)| {
        let (one, many): (Option<Address>, &[Asset]) = match value {
            Value::Token(token) => (Some(*token), &[]),
            Value::Amount { of, .. } => (*of, &[]),
            Value::Assets(assets) => (None, assets),
            _ => (None, &[]),
        };
        one.into_iter().chain(many.iter().filter_map(|asset| asset.token))
    })
}

impl Rows<'_> {
    /// # Errors
    /// Why a token that it names could not be read.
    pub(super) fn row(&self, merged: MergedEvent) -> Result<answer::Event, ReadFailure> {
        let MergedEvent { log, event: Event { kind, protocol, members, .. }, plugin } = merged;
        let members = members.into_iter().map(|(name, value)| Ok((name, self.member(value)?)));
        Ok(answer::Event {
            log,
            kind,
            protocol: protocol.and_then(|slug| self.protocol(&slug)),
            plugin: plugin.map(|instance| Arc::clone(&instance.label)),
            members: members.collect::<Result<_, ReadFailure>>()?,
        })
    }

    fn protocol(&self, slug: &str) -> Option<Arc<Protocol>> {
        self.snapshot.served(slug).map(|served| Arc::clone(&served.protocol))
    }

    fn member(&self, value: Value) -> Result<Member, ReadFailure> {
        Ok(match value {
            Value::Address(address) => Member::Address(address),
            Value::Token(token) => Member::Token(Arc::clone(self.tokens.get(token)?)),
            Value::Amount { raw, of } => Member::Amount(self.amount(Asset { token: of, raw })?),
            Value::Assets(assets) => {
                Member::Assets(assets.into_iter().map(|asset| self.amount(asset)).collect::<Result<_, _>>()?)
            }
            Value::Number(number) => Member::Number(number),
            Value::Word(word) => Member::Word(word),
            Value::Flag(flag) => Member::Flag(flag),
            Value::Text(text) => Member::Text(text),
            Value::Seconds(seconds) => Member::Seconds(seconds),
            Value::Network(chain_id) => {
                Member::Network(Remote { chain_id, network: self.networks.with_chain_id(chain_id).cloned() })
            }
        })
    }

    fn amount(&self, Asset { token, raw }: Asset) -> Result<Amount, ReadFailure> {
        let token = token.map(|token| self.tokens.get(token).cloned()).transpose()?;
        Ok(Amount { token, raw })
    }
}
