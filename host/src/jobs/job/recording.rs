//! Records one job while it runs: each read with its reply, and each batch.

use portolan_abi::map::{Finding, Start};
use portolan_abi::row::{state, status};
use portolan_abi::step::Step;
use portolan_fixtures::{Expected, JobRecorder, ReadKey};
use tokio::time::Instant;

use super::frames::FrameReply;
use super::reads::OpenRead;
use crate::jobs::plan::JobPlan;
use crate::jobs::record::{BatchRecord, JobRecord};

/// Record of a job that runs.
pub(super) struct Recording {
    recorder: JobRecorder,
    /// Reads that the plugin waits for, in the order of its requests.
    open: Vec<ReadKey>,
    batches: Vec<BatchRecord>,
    /// State in which the plugin ended the job.
    ended: Option<u8>,
}

impl Recording {
    pub(super) fn begin(start: &Start, settings: &[u8]) -> Self {
        let recorder = JobRecorder::new(start, settings);
        Self { recorder, open: Vec::new(), batches: Vec::new(), ended: None }
    }

    /// Takes the reads of a frame that the plugin returned; a broken frame has none.
    pub(super) fn open(&mut self, answer: &[u8]) {
        if let Ok(step) = Step::parse(answer) {
            self.open.extend(step.reads.iter().map(ReadKey::from));
        }
    }

    /// Takes the replies to all open reads. Those without a reply remain open.
    pub(super) fn take(&mut self, replies: &[FrameReply]) {
        for (read, reply) in self.open.iter().zip(replies).filter(|(_, reply)| reply.status != status::PENDING) {
            self.recorder.reply(read, reply.status, &reply.bytes);
        }
        let mut replies = replies.iter();
        self.open.retain(|_| replies.next().is_none_or(|reply| reply.status == status::PENDING));
    }

    /// Takes a batch that was fetched since `began`; `was_answered` has a flag for each read that was answered before.
    pub(super) fn batch(&mut self, began: Instant, was_answered: &[bool], fetched: &[OpenRead]) {
        let fetched = || fetched.iter().zip(was_answered).filter(|(_, was_answered)| !**was_answered);
        let bytes = fetched().map(|(read, _)| read.reply_bytes()).sum();
        self.batches.push(BatchRecord { reads: fetched().count(), bytes, time: began.elapsed() });
    }

    /// Takes the state in which the plugin ended the job.
    pub(super) fn end(&mut self, ended: u8) {
        self.ended = Some(ended);
    }

    pub(super) fn finish(self, plan: &JobPlan, findings: &[Finding]) -> JobRecord {
        let partial = match self.ended {
            Some(state::COMPLETE) => Some(false),
            Some(state::PARTIAL) => Some(true),
            _ => None,
        };
        JobRecord {
            subject: plan.subject().to_owned(),
            network: plan.network.clone(),
            question: plan.question.number(),
            batches: self.batches,
            job: self.recorder.finish(),
            found: partial.map(|partial| Expected::of(partial, findings)),
            refused: Vec::new(),
        }
    }
}
