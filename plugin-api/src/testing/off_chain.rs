//! The off-chain reads of a job under test, checked as a gateway checks them.
#![expect(clippy::panic, reason = "a read that no gateway makes is the failure of the test that runs this")]

use portolan_abi::map::Catalogue;
use portolan_abi::off_chain::{BODY_BYTES_MAX, HOSTS_MAX, OffChainReads, UrlError, check_host};
use portolan_abi::row::kind;

use super::{ReadRequest, ReadResult, Replies};

/// The hosts of the catalogue, and what the job has requested of them.
pub(super) struct OffChain {
    hosts: Vec<String>,
    reads: OffChainReads,
}

impl OffChain {
    /// # Panics
    /// If the catalogue has hosts that a gateway refuses.
    pub(super) fn new(catalogue: Catalogue) -> Self {
        let hosts = catalogue.hosts.unwrap_or_default();
        assert!(hosts.len() <= HOSTS_MAX, "its catalogue has {} hosts, at most {HOSTS_MAX} are taken", hosts.len());
        hosts.iter().for_each(|host| check_host(host).unwrap_or_else(|error| panic!("{error}")));
        Self { hosts, reads: OffChainReads::default() }
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
