//! Effects of a transaction on one account: movements with tokens and dollars, gas, and a sentence.
//!
//! Invariant: nothing here is read or priced unless the query names an account, and at most [`MOVEMENTS_MAX`]
//! movements are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_assets::resolve::Tokens;
use portolan_assets::token::NATIVE;
use portolan_base::sanitize::text::Text;
use portolan_plugins::protocol::Protocol;
use portolan_reader::{GasPaid, TransactionStatus};

use super::TransactionDecoder;
use crate::events::merge::MergedEvent;
use crate::events::movements::{Movement, Movements};
use crate::events::native::NativeLogs;
use crate::events::summary::{Summary, SummaryFormatter};
use crate::events::user_operations::UserOperations;
use crate::gateway::answer::{AccountEffects, AccountMovement};
use crate::jobs::report::JobReport;

/// Maximum number of movements; each asset's price takes several reads. Airdrops and batched transfers have dozens.
const MOVEMENTS_MAX: usize = 100;
/// Gas of a transaction that runs no code.
const PLAIN_GAS: u64 = 21_000;

/// Tokens of the movements that are shown.
pub(super) fn shown(movements: &Movements) -> impl Iterator<Item = Address> {
    movements.tokens().take(MOVEMENTS_MAX)
}

/// A decoded transaction.
pub(super) struct DecodedTransaction<'a> {
    pub(super) decoder: &'a TransactionDecoder<'a>,
    /// Tokens that its events name.
    pub(super) tokens: &'a Tokens,
    pub(super) status: TransactionStatus,
    pub(super) gas: Option<GasPaid>,
    pub(super) logs: NativeLogs,
    pub(super) has_undecoded: bool,
}

impl DecodedTransaction<'_> {
    /// Returns the effects on an account, and reports of tokens that could not be read.
    pub(super) async fn effects(
        &self,
        events: &[MergedEvent],
        mut movements: Movements,
        account: Address,
    ) -> (AccountEffects, Vec<JobReport>) {
        let (decoder, transaction) = (self.decoder, &*self.decoder.transaction);
        // The sender pays the gas even if the transaction failed; an ERC-4337 account pays for its own operations.
        let operations = UserOperations::of(events, transaction, account);
        let gas = self.gas.filter(|_| account == transaction.from).or(operations.gas);
        let slugs: BTreeSet<&String> = events.iter().filter_map(|merged| merged.event.protocol.as_ref()).collect();
        let served = |slug: &String| Some((slug.clone(), Arc::clone(&decoder.context.snapshot.served(slug)?.protocol)));
        let protocols: BTreeMap<String, Arc<Protocol>> = slugs.into_iter().filter_map(served).collect();
        let networks = decoder.context.networks();
        let summary = Summary {
            account,
            transaction,
            status: self.status,
            operations,
            events,
            movements: &movements,
            has_undecoded: self.has_undecoded,
            wrapped: decoder.network.wrapped_native,
            formatter: SummaryFormatter {
                tokens: self.tokens,
                protocols: &protocols,
                networks,
                native: &decoder.network.native,
            },
        };
        let summary = summary.sentence();
        let count = movements.incoming.len() + movements.outgoing.len();
        movements.incoming.truncate(MOVEMENTS_MAX);
        movements.outgoing.truncate(MOVEMENTS_MAX - movements.incoming.len());
        let omitted = count - movements.incoming.len() - movements.outgoing.len();
        let moved: BTreeSet<Address> = movements.tokens().chain(gas.map(|_| NATIVE)).collect();
        let (priced, reports) =
            if moved.is_empty() { Default::default() } else { decoder.context.tokens(decoder.network, &moved).await };
        let rows = |movements: Vec<Movement>| movements.into_iter().map(|of| row(of, &priced)).collect();
        let native = priced.get(NATIVE).ok().cloned();
        let incomplete = self.incomplete();
        let (incoming, outgoing) = (rows(movements.incoming), rows(movements.outgoing));
        (AccountEffects { account, summary, incoming, outgoing, omitted, gas, native, incomplete }, reports)
    }

    /// Returns why movements may be missing: contracts that run may send the native token without a log.
    fn incomplete(&self) -> Option<Text> {
        let ran_nothing = self.decoder.transaction.logs.is_empty() && self.gas.is_some_and(|gas| gas.used <= PLAIN_GAS);
        let native = &self.decoder.network.native;
        let reason = match self.status {
            TransactionStatus::Failed => return None,
            TransactionStatus::Succeeded if ran_nothing || self.logs.is_whole => return None,
            TransactionStatus::Succeeded => {
                format!("contracts may have sent {native} to or from the account, which a receipt does not show")
            }
            TransactionStatus::Unknown => "the receipt is of a block before Byzantium and does not say whether the \
                                           transaction failed; it used all its gas, as one that failed"
                .to_owned(),
        };
        Some(Text::words(&reason))
    }
}

/// A collection needs no decimals; an amount of a token does.
pub(super) fn row(movement: Movement, tokens: &Tokens) -> AccountMovement {
    let token = movement.asset.token;
    let found = if movement.asset.token_id.is_some() { tokens.named(token) } else { tokens.get(token) };
    AccountMovement { movement, token: found.ok().map(Arc::clone) }
}

#[cfg(test)]
mod tests;
