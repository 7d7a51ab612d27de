//! The Universal Resolver: one contract that implements ENSIP-10, wherever names are stored.
//! <https://docs.ens.domains/resolvers/universal>
//!
//! This client batches lookups itself (ENSIP-21), so that only the name's own gateway learns of them.

use std::sync::atomic::{AtomicBool, Ordering};

use alloy::primitives::{Address, Bytes};
use alloy::sol_types::{SolCall, SolError};
use portolan_reader::{Outcome, Read};

use super::RecordQuery;
use crate::names::call::{ContractCall, returned};
use crate::names::ccip::{GatewayError, LOCAL_BATCH};
use crate::names::contracts::{OffchainLookup, UniversalResolver};
use crate::names::{Absence, NameFailure};

#[derive(Debug)]
pub(super) struct UniversalContract {
    contract: Address,
    has_answered: AtomicBool,
}

/// The reverts that identify a Universal Resolver, with their meanings.
const ERRORS: [([u8; 4], Absence); 4] = [
    (UniversalResolver::ResolverNotFound::SELECTOR, Absence::NoResolver),
    (UniversalResolver::ResolverNotContract::SELECTOR, Absence::NoContract),
    (UniversalResolver::UnsupportedResolverProfile::SELECTOR, Absence::NoRecord),
    (UniversalResolver::ResolverError::SELECTOR, Absence::Refused),
];

impl UniversalContract {
    pub(super) fn new(contract: Address) -> Self {
        Self { contract, has_answered: AtomicBool::new(false) }
    }

    /// Returns true if its last answer was that of a Universal Resolver; until then the registry is read as well.
    pub(super) fn has_answered(&self) -> bool {
        self.has_answered.load(Ordering::Relaxed)
    }

    pub(super) fn calls(&self, query: &RecordQuery) -> Vec<Read> {
        let call = |record: &Vec<u8>| UniversalResolver::resolveWithGatewaysCall {
            name: query.name.dns().clone(),
            data: record.clone().into(),
            gateways: vec![LOCAL_BATCH.to_owned()],
        };
        query.records.iter().map(|record| Read::call(self.contract, call(record).abi_encode())).collect()
    }

    /// The calls with their outcomes; `None` if the first outcome is not that of a Universal Resolver. A failed read
    /// proves neither: it is returned as a failure, and the registry does not replace it.
    pub(super) fn answer(&self, query: &RecordQuery, outcomes: &[Outcome]) -> Option<Vec<ContractCall>> {
        let first = outcomes.first()?;
        if !matches!(first, Outcome::Failed(_)) {
            let answers = is_answer(first);
            self.has_answered.store(answers, Ordering::Relaxed);
            if !answers {
                return None;
            }
        }
        let call = |outcome: &Outcome| ContractCall::on_behalf_of(query.name.holder(), self.contract, outcome.clone());
        Some(outcomes.iter().map(call).collect())
    }

    /// Returns the bytes that the resolver returned, and the resolver.
    pub(super) fn unwrap(call: &ContractCall) -> Result<(Bytes, Address), NameFailure> {
        let outcome = call.outcome()?;
        if let Outcome::Reverted(data) = outcome {
            if let Ok(error) = UniversalResolver::HttpError::abi_decode(data) {
                return Err(GatewayError::Status(error.status).into());
            }
            // The resolver requests a lookup on behalf of another contract.
            if UniversalResolver::ResolverError::abi_decode(data)
                .is_ok_and(|error| error.errorData.starts_with(&OffchainLookup::SELECTOR))
            {
                return Err(GatewayError::Sender.into());
            }
            let known = ERRORS.iter().find(|(selector, _)| data.starts_with(selector));
            return Err(known.map_or(Absence::Refused, |(_, absence)| *absence).into());
        }
        let returns = UniversalResolver::resolveWithGatewaysCall::abi_decode_returns(returned(outcome)?);
        returns.map(|returns| (returns.result, returns.resolver)).map_err(|_| Absence::BadRecord.into())
    }
}

fn is_answer(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Ok(bytes) => UniversalResolver::resolveWithGatewaysCall::abi_decode_returns(bytes).is_ok(),
        Outcome::Reverted(data) => {
            let own = [OffchainLookup::SELECTOR, UniversalResolver::HttpError::SELECTOR];
            ERRORS.iter().map(|(selector, _)| selector).chain(&own).any(|selector| data.starts_with(selector))
        }
        Outcome::NoCode | Outcome::GasCap | Outcome::OverBudget | Outcome::Unsupported | Outcome::Failed(_) => false,
    }
}
