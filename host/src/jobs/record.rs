//! Records of jobs, for the commands that try one plugin: what each job read, and what became of its findings.
//!
//! Invariant: a gateway that serves clients keeps none; records have times and replies that clients must not see.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portolan_abi::Question;
use portolan_base::network::Network;
use portolan_fixtures::{Expected, RecordedJob};
use portolan_validation::Rejections;
use serde::Serialize;

/// Records of the jobs that ended since the last [`JobRecords::take`], in the order of their ends.
#[derive(Debug, Default)]
pub(crate) struct JobRecords(Mutex<Vec<JobRecord>>);

/// Record of one job.
#[derive(Debug)]
pub(crate) struct JobRecord {
    /// A protocol's slug, or the plugin's name if the question is about a transaction.
    pub(crate) subject: String,
    pub(crate) network: Arc<Network>,
    pub(crate) question: Question,
    pub(crate) batches: Vec<BatchRecord>,
    /// Its question, and the reply to each of its reads.
    pub(crate) job: RecordedJob,
    /// Its findings before validation; `None` if it did not reach its end.
    pub(crate) found: Option<Expected>,
    /// Sentences about findings that validation rejected.
    pub(crate) refused: Vec<String>,
}

/// Reads of a job that were fetched together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BatchRecord {
    pub(crate) reads: usize,
    /// Bytes of the replies.
    pub(crate) bytes: usize,
    /// Time that the job waited for the replies, in milliseconds.
    #[serde(rename = "durationMs", serialize_with = "milliseconds")]
    pub(crate) time: Duration,
}

fn milliseconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

impl JobRecords {
    pub(crate) fn add(&self, record: JobRecord) {
        self.0.lock().push(record);
    }

    /// Adds the sentences about rejected findings to the last record of a job.
    pub(crate) fn refuse(&self, subject: &str, chain_id: u64, question: Question, rejections: &Rejections) {
        let mut records = self.0.lock();
        let is_of = |record: &&mut JobRecord| {
            (record.subject.as_str(), record.network.chain_id, record.question) == (subject, chain_id, question)
        };
        if let Some(record) = records.iter_mut().rev().find(is_of) {
            record.refused.extend(rejections.sentences());
        }
    }

    /// Removes and returns all records.
    pub(crate) fn take(&self) -> Vec<JobRecord> {
        std::mem::take(&mut self.0.lock())
    }
}
