//! The off-chain reads of a job under test, checked as a gateway checks them.
#![expect(clippy::panic, reason = "a read that no gateway makes is the failure of the test that runs this")]

use portolan_abi::map::Catalogue;
use portolan_abi::off_chain::{BODY_BYTES_MAX, OffChainReads, UrlError};
use portolan_abi::row::kind;

use super::{ReadRequest, ReadResult, Replies};

/// The hosts of the catalogue, and what the job has requested of them.
pub(super) struct OffChain {
    hosts: Vec<String>,
    reads: OffChainReads,
}

impl OffChain {
    pub(super) fn new(catalogue: &Catalogue) -> Self {
        Self { hosts: catalogue.hosts.clone().unwrap_or_default(), reads: OffChainReads::default() }
    }

    /// The result of any read, which for an off-chain one is what a gateway would make of `replies`.
    ///
    /// # Panics
    /// If no gateway makes the read.
    pub(super) fn reply(&mut self, request: &ReadRequest, replies: &mut impl Replies) -> ReadResult {
        if request.kind != kind::HTTP {
            return replies.reply(request);
        }
        match self.reads.check(&request.data, &self.hosts) {
            Ok(_) => match replies.reply(request) {
                ReadResult::Ok(body) if body.len() > BODY_BYTES_MAX => ReadResult::Unavailable,
                result => result,
            },
            Err(UrlError::TooMany) => ReadResult::OverBudget,
            Err(error) => panic!("{error}"),
        }
    }
}
