//! The off-chain reads of one job: which are made, and what became of them.
//!
//! Invariant: no reply of theirs is a word of the chain: they have a source of their own, and nothing in them makes an
//! address trusted.

use std::collections::BTreeMap;

use portolan_abi::off_chain::{OffChainReads, UrlError};
use portolan_abi::row::{source, status};
use tokio::time::Instant;

use super::frames::FrameReply;
use crate::jobs::failure::{Failure, Reason};
use crate::net::off_chain::{DocumentReply, DocumentRequest, Documents, OffChainError};
use crate::registry::Instance;

/// The off-chain reads of one job.
#[derive(Debug)]
pub(super) struct DocumentReads<'a> {
    instance: &'a Instance,
    documents: Documents<'a>,
    made: OffChainReads,
    /// The oldest answer of each host.
    ages: BTreeMap<String, u32>,
    /// Why the first read that was refused is not made. The job reports it even if its plugin does not.
    refused: Option<Failure>,
    /// Why the first read that failed did.
    failed: Option<Failure>,
}

/// A read that is made.
#[derive(Debug)]
pub(super) struct PreparedRead {
    host: String,
    url: String,
}

impl<'a> DocumentReads<'a> {
    pub(super) fn new(instance: &'a Instance, documents: Documents<'a>) -> Self {
        let (made, ages) = Default::default();
        Self { instance, documents, made, ages, refused: None, failed: None }
    }

    /// The read of a URL.
    ///
    /// # Errors
    /// The reply to a read that is not made.
    pub(super) fn prepare(&mut self, url: &[u8]) -> Result<PreparedRead, FrameReply> {
        let plugin = self.instance.name();
        let declared = self.instance.catalogue.hosts.as_deref().unwrap_or_default();
        let host = match self.made.check(url, declared) {
            Ok(host) => host.to_owned(),
            Err(error @ UrlError::TooMany) => {
                self.failed.get_or_insert(Failure::new(Reason::OverBudget, error.to_string()));
                return Err(reply(status::OVER_BUDGET));
            }
            Err(error) => return Err(self.refuse(Failure::new(Reason::PluginError, error.to_string()))),
        };
        match self.instance.hosts.find(&host) {
            Some(declared) if declared.is_granted() => {
                Ok(PreparedRead { host, url: String::from_utf8_lossy(url).into_owned() })
            }
            Some(denied) => Err(self.refuse(Failure::new(Reason::NotAllowed, denied.refusal(plugin)))),
            None => Err(self.refuse(Failure::new(Reason::PluginError, UrlError::Undeclared(host).to_string()))),
        }
    }

    /// Makes a read that was prepared.
    pub(super) async fn make(&self, read: &PreparedRead, deadline: Instant) -> Result<DocumentReply, OffChainError> {
        let host = self.instance.hosts.find(&read.host).ok_or(OffChainError::Url)?;
        let request = DocumentRequest { plugin: self.instance.name(), host, url: &read.url };
        self.documents.get(request, deadline).await
    }

    /// The reply to a read that was made.
    pub(super) fn take(&mut self, read: PreparedRead, made: Result<DocumentReply, OffChainError>) -> FrameReply {
        match made {
            Ok(DocumentReply { body, age_s }) => {
                let oldest = self.ages.entry(read.host).or_default();
                *oldest = age_s.max(*oldest);
                let status = if body.is_some() { status::OK } else { status::NO_CODE };
                FrameReply { status, source: source::OFF_CHAIN, bytes: body.unwrap_or_default().into(), age_s }
            }
            Err(error) => {
                let reason = Reason::from(error);
                self.failed.get_or_insert_with(|| Failure::new(reason, format!("{}: {error}", read.host)));
                reply(if reason == Reason::OverBudget { status::OVER_BUDGET } else { status::UNAVAILABLE })
            }
        }
    }

    /// Why a read was not allowed.
    pub(super) fn refused(&self) -> Option<&Failure> {
        self.refused.as_ref()
    }

    /// What the plugin says with why a read gave no document.
    pub(super) fn explain(&self, message: String) -> String {
        match self.failure() {
            Some(failure) if !message.is_empty() => format!("{message} ({})", failure.detail),
            _ => message,
        }
    }

    /// Why a read gave no document.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.refused.as_ref().or(self.failed.as_ref())
    }

    /// The hosts that answered, each with the age of its oldest answer in seconds.
    pub(super) fn into_ages(self) -> BTreeMap<String, u32> {
        self.ages
    }

    fn refuse(&mut self, failure: Failure) -> FrameReply {
        self.refused.get_or_insert(failure);
        reply(status::NOT_ALLOWED)
    }
}

fn reply(status: u8) -> FrameReply {
    FrameReply { status, source: source::OFF_CHAIN, ..FrameReply::default() }
}
