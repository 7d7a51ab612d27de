//! Validates what a job found as the gateway does, with its sentences.
#![expect(clippy::panic, reason = "a broken rule is the failure of the test that runs this")]

use std::collections::BTreeSet;

use alloy::primitives::{Address, Bytes};
use portolan_abi::Question;
use portolan_abi::map::{Catalogue, Finding, Start};
use portolan_abi::row::{freshness, kind, purpose, status};
use portolan_validation::{
    Addresses, ClaimFunctions, ClaimReads, ClaimTemplates, JobRules, Rejections, ValidFinding, Validated, ViewReply,
    validate, validate_compositions, validate_events,
};

use super::{ReadRequest, ReadResult};

/// The rules that all jobs of an instance are checked against.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) templates: &'a ClaimTemplates,
}

/// The rules for a job's findings, and the reads that its claims may rest on.
pub(super) struct Validation<'a> {
    start: &'a Start,
    of: Rules<'a>,
    addresses: Addresses,
    reads: ClaimReads,
}

impl<'a> Validation<'a> {
    /// The templates of a catalogue; `functions` are an operator's rows.
    ///
    /// # Panics
    /// If a claim template or a lineage of the catalogue is wrong.
    pub(super) fn templates(functions: Option<&str>, catalogue: &Catalogue) -> ClaimTemplates {
        let functions = functions.map_or_else(
            || ClaimFunctions::shipped().clone(),
            |rows| ClaimFunctions::with(rows).unwrap_or_else(|error| panic!("{error}")),
        );
        ClaimTemplates::parse(catalogue, &functions).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(super) fn new(start: &'a Start, of: Rules<'a>) -> Self {
        Self {
            start,
            of,
            addresses: Addresses::listed(of.catalogue, &start.protocol, start.chain_id, |_| false),
            reads: ClaimReads::new(start.account),
        }
    }

    /// Takes the reads of one batch, with what became of each. What a walk reads names no target of a claim.
    pub(super) fn take<'r>(&mut self, reads: impl Iterator<Item = (&'r ReadRequest, &'r ReadResult)>) {
        let is_noted = |request: &ReadRequest| {
            request.is_static_call()
                && request.network == self.start.chain_id
                && request.kind != kind::FACTS
                && request.purpose != purpose::WALK
        };
        let mut views = Vec::new();
        for (request, result) in reads.filter(|(request, _)| is_noted(request)) {
            let (status::OK, reply) = result.parts() else { continue };
            views.push(ViewReply { contract: request.to, data: &request.data, reply });
            let is_at_block = request.freshness == freshness::PINNED;
            self.reads.take(request.to, request.data.clone(), Bytes::copy_from_slice(reply), is_at_block);
        }
        self.addresses.give_all(self.of.templates.lineages(), &views);
    }

    /// Why the gateway would reject findings, or leave them out; and the tokens of the others.
    pub(super) fn check(&self, findings: &[Finding]) -> (Rejections, BTreeSet<Address>) {
        let start = self.start;
        match start.question {
            Question::COMPOSITION => {
                let tokens = start.tokens.as_deref().unwrap_or_default();
                (validate_compositions(findings, tokens).1, BTreeSet::new())
            }
            Question::EVENTS => {
                let protocols: BTreeSet<&str> =
                    self.of.catalogue.protocols.iter().map(|one| one.slug.as_str()).collect();
                let logs = start.transaction.as_ref().map_or(0, |transaction| transaction.logs.len());
                (validate_events(findings, logs, &protocols).1, BTreeSet::new())
            }
            _ => {
                let Validated { findings, rejections } = validate(&self.rules(), findings.to_vec());
                (rejections, findings.iter().flat_map(ValidFinding::tokens).collect())
            }
        }
    }

    fn rules(&self) -> JobRules<'_> {
        let start = self.start;
        JobRules {
            catalogue: self.of.catalogue,
            templates: self.of.templates,
            question: start.question,
            protocol: &start.protocol,
            chain_id: start.chain_id,
            account: start.account,
            addresses: &self.addresses,
            reads: &self.reads,
        }
    }
}
