//! Reads of one answer's block: waves of calls, and calls whose results lie off-chain.
//!
//! Invariant: all that an answer says of names is of one block, and calls that can be asked together are one wave.

use std::sync::atomic::AtomicUsize;

use alloy::primitives::{Address, Bytes};
use alloy::sol_types::abi::AbiDecoderConfig;
use alloy::sol_types::{SolError, SolValue};
use futures_util::future::join_all;
use portolan_reader::{Outcome, Read, ReadFailure, Session};
use tokio::time::Instant;

use super::contracts::OffchainLookup;
use super::gateway::{FETCHES_MAX, Found, GatewayFault, Gateways, Request};
use super::{Absence, NameFailure};

/// EIP-3668 leaves the limit to clients; those in use have it at four.
const LOOKUPS_DEEP_MAX: usize = 4;
/// Of a lookup, with whatever it points to more than once.
const LOOKUP_MEMORY_MAX: usize = 256 * 1024;
/// Of the time that is left, kept for what comes after the gateways: the contract checks what they answer.
const CALLBACK_PART: u32 = 8;

/// The block that names are read at.
#[derive(Clone, Copy)]
pub(super) struct Chain<'a> {
    pub(super) session: &'a Session,
}

/// A call and what became of it.
#[derive(Debug)]
pub(super) struct Called {
    to: Address,
    outcome: Outcome,
    pub(super) via_gateway: bool,
    /// Why the gateways' part came to nothing.
    fault: Option<GatewayFault>,
    /// The same of a part that the contract may do without.
    hidden: Option<GatewayFault>,
    fetches_left: AtomicUsize,
}

impl Called {
    pub(super) fn new(to: Address, outcome: Outcome) -> Self {
        let fetches_left = AtomicUsize::new(FETCHES_MAX);
        Self { to, outcome, via_gateway: false, fault: None, hidden: None, fetches_left }
    }

    /// What the call came to, unless it failed at a gateway.
    pub(super) fn outcome(&self) -> Result<&Outcome, GatewayFault> {
        let is_refusal = matches!(self.outcome, Outcome::Reverted(_));
        match self.fault.or(self.hidden.filter(|_| is_refusal)) {
            Some(fault) => Err(fault),
            None => Ok(&self.outcome),
        }
    }

    /// The lookup that the contract asks for instead of returning.
    fn lookup(&self) -> Option<Result<OffchainLookup, GatewayFault>> {
        let Outcome::Reverted(data) = &self.outcome else { return None };
        if self.fault.is_some() || !data.starts_with(&OffchainLookup::SELECTOR) {
            return None;
        }
        let bounded = AbiDecoderConfig::new().memory_limit(LOOKUP_MEMORY_MAX);
        Some(match OffchainLookup::abi_decode_with_config(data, bounded) {
            // One that came up from another contract would complete another call than ours.
            Ok(lookup) if lookup.sender != self.to => Err(GatewayFault::Sender),
            decoded => decoded.map_err(|_| GatewayFault::Lookup),
        })
    }
}

/// Bytes that a contract returned, or what it means that there are none.
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

impl Chain<'_> {
    /// One round trip, or none where there is nothing to read.
    pub(super) async fn wave(&self, reads: Vec<Read>) -> Vec<Outcome> {
        self.session.read(reads).await.into_iter().map(|reply| reply.outcome).collect()
    }

    /// Brings calls that ask for off-chain lookups to their end; all of them at once.
    pub(super) async fn follow(&self, gateways: &Gateways, mut calls: Vec<&mut Called>) {
        for deep in 0.. {
            let mut asked = Vec::new();
            for call in &mut calls {
                match call.lookup() {
                    None => {}
                    Some(Err(fault)) => call.fault = Some(fault),
                    Some(Ok(_)) if deep == LOOKUPS_DEEP_MAX => call.fault = Some(GatewayFault::Endless),
                    Some(Ok(lookup)) => asked.push((call, lookup)),
                }
            }
            if asked.is_empty() {
                return;
            }
            self.look_up(gateways, asked).await;
        }
    }

    async fn look_up(&self, gateways: &Gateways, asked: Vec<(&mut &mut Called, OffchainLookup)>) {
        let deadline = self.session.deadline();
        let left = deadline.saturating_duration_since(Instant::now());
        let until = deadline.checked_sub(left / CALLBACK_PART).unwrap_or(deadline);
        let answers = join_all(asked.iter().map(async |(call, lookup)| {
            let OffchainLookup { sender, urls, callData, .. } = lookup;
            let request = Request { sender: *sender, urls: urls.clone(), data: callData.clone() };
            gateways.ask(&request, &call.fetches_left, until).await
        }))
        .await;
        let (mut answered, mut reads) = (Vec::new(), Vec::new());
        for ((call, lookup), answer) in asked.into_iter().zip(answers) {
            call.via_gateway = true;
            match answer {
                Ok(Found { data, fault }) => {
                    call.hidden = call.hidden.or(fault);
                    let arguments = (data, lookup.extraData).abi_encode_params();
                    reads.push(Read::call(call.to, [&lookup.callbackFunction[..], &arguments].concat()));
                    answered.push(call);
                }
                Err(fault) => call.fault = Some(fault),
            }
        }
        let outcomes = self.wave(reads).await;
        for (call, outcome) in answered.into_iter().zip(outcomes) {
            call.outcome = outcome;
        }
    }
}
