//! Contract calls of one answer: batches of reads, and off-chain lookups (EIP-3668).
//!
//! Invariant: calls that can be made together are one batch, off-chain lookups included.

use alloy::primitives::{Address, Bytes};
use alloy::sol_types::abi::AbiDecoderConfig;
use alloy::sol_types::{SolError, SolValue};
use futures_util::future::join_all;
use portolan_base::net::outgoing_budget::OutgoingBudget;
use portolan_reader::{Outcome, Read, ReadFailure, Session};
use tokio::time::Instant;

use super::ccip::{GatewayData, GatewayError, GatewayRequest, Gateways, URLS_MAX};
use super::contracts::OffchainLookup;
use super::{Absence, NameFailure};

/// Maximum nested lookups. EIP-3668 leaves it to clients, which commonly use four.
const LOOKUP_DEPTH_MAX: usize = 4;
/// Maximum bytes of a decoded lookup, counting data that it refers to repeatedly.
const LOOKUP_MEMORY_MAX: usize = 256 * 1024;
/// Divisor of the remaining time: the part reserved for callbacks, in which contracts verify the gateways' answers.
const CALLBACK_PART: u32 = 8;

/// A call and its outcome.
#[derive(Debug)]
pub(super) struct ContractCall {
    to: Address,
    /// The contract that names the gateways, or an address that stands for it.
    named_by: Address,
    outcome: Outcome,
    pub(super) via_gateway: bool,
    /// Reason why the gateways returned no data.
    error: Option<GatewayError>,
    /// Reason why they returned none for a part that the contract may do without.
    partial_error: Option<GatewayError>,
}

impl ContractCall {
    pub(super) fn new(to: Address, outcome: Outcome) -> Self {
        Self::on_behalf_of(to, to, outcome)
    }

    /// A call of a contract that calls others and passes on the gateways that they name.
    pub(super) fn on_behalf_of(named_by: Address, to: Address, outcome: Outcome) -> Self {
        Self { to, named_by, outcome, via_gateway: false, error: None, partial_error: None }
    }

    /// The outcome of the call, unless it failed at a gateway.
    pub(super) fn outcome(&self) -> Result<&Outcome, GatewayError> {
        let is_refusal = matches!(self.outcome, Outcome::Reverted(_));
        match self.error.or(self.partial_error.filter(|_| is_refusal)) {
            Some(error) => Err(error),
            None => Ok(&self.outcome),
        }
    }

    /// The lookup that the contract requests instead of returning.
    fn lookup(&self) -> Option<Result<OffchainLookup, GatewayError>> {
        let Outcome::Reverted(data) = &self.outcome else { return None };
        if self.error.is_some() || !data.starts_with(&OffchainLookup::SELECTOR) {
            return None;
        }
        let bounded = AbiDecoderConfig::new().memory_limit(LOOKUP_MEMORY_MAX);
        Some(match OffchainLookup::abi_decode_with_config(data, bounded) {
            // A lookup of another contract would complete another call than this one.
            Ok(lookup) if lookup.sender != self.to => Err(GatewayError::Sender),
            decoded => decoded.map_err(|_| GatewayError::Lookup),
        })
    }
}

/// Returns the bytes that a contract returned.
///
/// # Errors
/// The reason why there are none.
pub(super) fn returned(outcome: &Outcome) -> Result<&Bytes, NameFailure> {
    match outcome {
        Outcome::Ok(bytes) if bytes.is_empty() => Err(Absence::NoRecord.into()),
        Outcome::Ok(bytes) => Ok(bytes),
        Outcome::NoCode => Err(Absence::NoContract.into()),
        Outcome::Reverted(_) | Outcome::GasCap => Err(Absence::Refused.into()),
        Outcome::Failed(failure) => Err((*failure).into()),
        Outcome::OverBudget | Outcome::Unsupported => Err(ReadFailure::Upstream.into()),
    }
}

/// Makes reads in one round trip; in none if there are no reads.
pub(super) async fn read(session: &Session, reads: Vec<Read>) -> Vec<Outcome> {
    session.read(reads).await.into_iter().map(|reply| reply.outcome).collect()
}

/// Completes the calls that request off-chain lookups, concurrently.
pub(super) async fn complete_lookups(
    session: &Session,
    gateways: &Gateways,
    outgoing: &OutgoingBudget,
    mut calls: Vec<&mut ContractCall>,
) {
    for depth in 0.. {
        let mut lookups = Vec::new();
        for call in &mut calls {
            match call.lookup() {
                None => {}
                Some(Err(error)) => call.error = Some(error),
                Some(Ok(_)) if depth == LOOKUP_DEPTH_MAX => call.error = Some(GatewayError::Endless),
                Some(Ok(lookup)) => lookups.push((call, lookup)),
            }
        }
        if lookups.is_empty() {
            return;
        }
        look_up(session, gateways, outgoing, lookups).await;
    }
}

/// Queries the gateways, then passes their answers to the contracts.
async fn look_up(
    session: &Session,
    gateways: &Gateways,
    outgoing: &OutgoingBudget,
    lookups: Vec<(&mut &mut ContractCall, OffchainLookup)>,
) {
    let deadline = session.deadline();
    let left = deadline.saturating_duration_since(Instant::now());
    let until = deadline.checked_sub(left / CALLBACK_PART).unwrap_or(deadline);
    // The first lookup may use the whole budget; the others must leave enough for all its gateways.
    let rests = std::iter::once(0).chain(std::iter::repeat(URLS_MAX as u64));
    let queried = join_all(lookups.iter().zip(rests).map(async |((call, lookup), rest)| {
        let OffchainLookup { sender, urls, callData, .. } = lookup;
        let (urls, data) = (urls.clone(), callData.clone());
        let request = GatewayRequest { sender: *sender, named_by: call.named_by, urls, data };
        gateways.query(&request, outgoing, rest, until).await
    }))
    .await;
    let (mut answered, mut callbacks) = (Vec::new(), Vec::new());
    for ((call, lookup), result) in lookups.into_iter().zip(queried) {
        call.via_gateway = true;
        match result {
            Ok(GatewayData { data, partial_error }) => {
                call.partial_error = call.partial_error.or(partial_error);
                let arguments = (data, lookup.extraData).abi_encode_params();
                callbacks.push(Read::call(call.to, [&lookup.callbackFunction[..], &arguments].concat()));
                answered.push(call);
            }
            Err(error) => call.error = Some(error),
        }
    }
    let outcomes = read(session, callbacks).await;
    for (call, outcome) in answered.into_iter().zip(outcomes) {
        call.outcome = outcome;
    }
}
