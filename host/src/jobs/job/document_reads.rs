//! Off-chain reads of one job: which are made, and their replies.
//!
//! Invariant: a document is never treated as chain data. Its replies have a source of their own, and no address in
//! them becomes trusted.

use std::collections::BTreeMap;

use portolan_abi::off_chain::{OffChainReads, UrlError};
use portolan_abi::row::{source, status};
use portolan_base::net::off_chain::{DocumentReply, DocumentRequest, Documents, OffChainError};
use portolan_plugins::Instance;
use tokio::time::Instant;

use super::frames::FrameReply;
use crate::jobs::failure::{Failure, Reason};

/// Off-chain reads of one job.
#[derive(Debug)]
pub(super) struct DocumentReads<'a> {
    instance: &'a Instance,
    documents: Documents<'a>,
    made: OffChainReads,
    /// Age of the oldest reply of each host, in seconds.
    ages: BTreeMap<String, u32>,
    /// Reason why the first refused read is not made. The job reports it even if its plugin does not.
    refused: Option<Failure>,
    /// Reason of the first read that failed.
    failed: Option<Failure>,
}

/// A read that passed the checks.
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

    /// Checks a read of a URL.
    ///
    /// # Errors
    /// Returns the reply to a read that is not allowed.
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

    /// Converts the result of a read into its reply.
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

    /// Returns why a read was not allowed.
    pub(super) fn refused(&self) -> Option<&Failure> {
        self.refused.as_ref()
    }

    /// Adds the reason why a document is missing to the plugin's message.
    pub(super) fn explain(&self, message: String) -> String {
        match self.failure() {
            Some(failure) if !message.is_empty() => format!("{message} ({})", failure.detail),
            _ => message,
        }
    }

    /// Returns why a document is missing.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.refused.as_ref().or(self.failed.as_ref())
    }

    /// Returns the hosts that replied, each with the age of its oldest reply in seconds.
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
