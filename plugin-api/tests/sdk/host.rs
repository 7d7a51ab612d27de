//! A test host for what a single job does not show: several jobs in a frame, jobs dropped midway, malformed frames.

use std::marker::PhantomData;

use abi_stable::std_types::{RResult, RSlice};
use portolan_abi::Question;
use portolan_abi::codec;
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{self, Block, Catalogue, Finding, Start, StartError};
use portolan_abi::root::{PluginRef, RawInstance, RawJob};
use portolan_abi::row::{JobIn, JobOut, Network, Read, Reply, status};
use portolan_plugin_api::export::{Exported, module};
use portolan_plugin_api::{B256, U256};

use crate::scenario::{ACCOUNT, NETWORK};

/// An instance, dropped at the end.
pub(crate) struct Host<P> {
    pub(crate) module: PluginRef,
    instance: RawInstance,
    capabilities: u64,
    plugin: PhantomData<P>,
}

/// A job, dropped before its instance.
pub(crate) struct Job<'h> {
    raw: RawJob,
    module: PluginRef,
    instance: PhantomData<&'h RawInstance>,
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        (self.module.drop_job())(self.raw);
    }
}

impl<P> Drop for Host<P> {
    fn drop(&mut self) {
        (self.module.drop_instance())(self.instance);
    }
}

/// Settings that change nothing.
pub(crate) fn shipped() -> Vec<u8> {
    codec::encode(&map::Settings { shipped: true, ..map::Settings::default() })
}

pub(crate) fn start_map() -> Start {
    let block = Block { number: 1, hash: B256::repeat_byte(1), timestamp: 2, evm_number: 3 };
    Start {
        question: Question::CLAIMABLES,
        protocol: "acme".to_owned(),
        chain_id: NETWORK,
        account: ACCOUNT,
        block,
        pins: Vec::new(),
        capabilities: portolan_abi::capability::ALL,
        tokens: None,
        transaction: None,
    }
}

impl<P: Exported> Host<P> {
    pub(crate) fn new() -> Self {
        Self::configured(&shipped()).expect("the plugin takes its settings")
    }

    /// A host that announces only these capabilities.
    pub(crate) fn of_capabilities(capabilities: u64) -> Self {
        let mut host = Self::new();
        host.capabilities = capabilities;
        host
    }

    pub(crate) fn configured(settings: &[u8]) -> Result<Self, map::SettingsError> {
        let module = module::<P>();
        match (module.configure())(RSlice::from_slice(settings)) {
            RResult::ROk(instance) => {
                Ok(Self { module, instance, capabilities: portolan_abi::capability::ALL, plugin: PhantomData })
            }
            RResult::RErr(error) => Err(codec::decode(&error).expect("a settings error")),
        }
    }

    pub(crate) fn catalogue(&self) -> Catalogue {
        codec::decode(&(self.module.catalogue())(&self.instance)).expect("a catalogue")
    }

    pub(crate) fn start(&self) -> Job<'_> {
        let start = Start { capabilities: self.capabilities, ..start_map() };
        self.start_with(&codec::encode(&start)).expect("the plugin starts the job")
    }

    pub(crate) fn start_with(&self, start: &[u8]) -> Result<Job<'_>, String> {
        match (self.module.start())(&self.instance, RSlice::from_slice(start)) {
            RResult::ROk(raw) => Ok(Job { raw, module: self.module, instance: PhantomData }),
            RResult::RErr(error) => Err(codec::decode::<StartError>(&error).expect("a start error").message),
        }
    }

    /// Returns the output of a resume, for any input.
    pub(crate) fn resume_with(&self, jobs: &mut [Job<'_>], frame: &[u8]) -> Vec<u8> {
        let raw: Vec<RawJob> = jobs.iter().map(|job| job.raw).collect();
        (self.module.resume())(RSlice::from_slice(&raw), RSlice::from_slice(frame)).into_vec()
    }

    /// Resumes each job with its replies.
    pub(crate) fn resume(&self, jobs: &mut [Job<'_>], replies: &[&[u64]]) -> Vec<Step> {
        steps(&self.resume_with(jobs, &frame_of(replies)))
    }

    /// Runs one job to its end on the tests' contract; returns all that it emitted.
    pub(crate) fn run_to_end(&self) -> (Step, Vec<Finding>) {
        let mut jobs = [self.start()];
        let (mut replies, mut found) = (Vec::new(), Vec::new());
        for _ in 0..1_000 {
            let step = self.resume(&mut jobs, &[replies.as_slice()]).remove(0);
            found.extend(step.findings.clone());
            if step.state != portolan_abi::row::state::READING {
                return (step, found);
            }
            replies = step.requested.iter().map(|number| 2 * number + 1).collect();
        }
        panic!("the job does not end");
    }
}

/// Output of one resume of one job.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) state: u8,
    pub(crate) message: String,
    pub(crate) not_covered: String,
    pub(crate) invalid_replies: String,
    pub(crate) findings: Vec<Finding>,
    /// Last word of each read's calldata: the number that it asks for.
    pub(crate) requested: Vec<u64>,
}

impl Step {
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let claimables = self.findings.iter().filter_map(|finding| finding.claimable.as_ref());
        claimables.map(|found| found.payments[0].amount.to()).collect()
    }
}

/// A frame in which each job gets words as replies.
pub(crate) fn frame_of(replies: &[&[u64]]) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    for own in replies {
        let replies = u32::try_from(own.len()).expect("few replies");
        frame.row(resume_in::JOBS, &JobIn { replies, ms_left: 1_000, reads_left: 1_000, bytes_left: 1_000_000 });
        for number in *own {
            let (offset, len) = frame.bytes(&U256::from(*number).to_be_bytes::<32>()).expect("a small blob");
            frame.row(resume_in::REPLIES, &Reply { status: status::OK, offset, len, ..Reply::default() });
        }
    }
    frame.finish().expect("a small frame")
}

/// Parses the jobs of an output frame, each with its own reads.
pub(crate) fn steps(out: &[u8]) -> Vec<Step> {
    let frame = Frame::parse(out).expect("a frame comes out");
    let networks = frame.count(resume_out::NETWORKS);
    assert!(frame.rows::<Network>(resume_out::NETWORKS).all(|network| network.chain_id != 0));
    let mut reads = frame.rows::<Read>(resume_out::READS);
    let step = |job: JobOut| {
        let reads: Vec<Read> = reads.by_ref().take(job.reads as usize).collect();
        assert_eq!(reads.len(), job.reads as usize, "the frame has the reads that its jobs count");
        assert!(reads.iter().all(|read| usize::from(read.network) < networks));
        let found = frame.bytes(job.findings_offset, job.findings_len).expect("findings lie in the blob");
        let text = |offset, len| {
            let bytes = frame.bytes(offset, len).expect("texts lie in the blob");
            String::from_utf8(bytes.to_vec()).expect("texts are UTF-8")
        };
        Step {
            state: job.state,
            message: text(job.message_offset, job.message_len),
            not_covered: text(job.not_covered_offset, job.not_covered_len),
            invalid_replies: text(job.invalid_replies_offset, job.invalid_replies_len),
            findings: if found.is_empty() { Vec::new() } else { codec::decode(found).expect("findings") },
            requested: reads.iter().map(|read| number(&frame, read)).collect(),
        }
    };
    let steps = frame.rows::<JobOut>(resume_out::JOBS).map(step).collect();
    assert_eq!(reads.count(), 0, "every read belongs to a job");
    steps
}

fn number(frame: &Frame<'_>, read: &Read) -> u64 {
    let data = frame.bytes(read.data_offset, read.data_len).expect("calldata lies in the blob");
    data.last_chunk::<8>().map(|word| u64::from_be_bytes(*word)).unwrap_or_default()
}
