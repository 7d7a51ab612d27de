//! The host's side of a job, as bytes.

use std::path::Path;

use abi_stable::library::lib_header_from_path;
use abi_stable::std_types::{RResult, RSlice};
use portolan_abi::frame::{FrameWriter, resume_in};
use portolan_abi::map::{FactList, Start, StartError};
use portolan_abi::root::{PluginRef, RawInstance, RawJob};
use portolan_abi::row::{JobIn, Reply, kind, purpose, state, status};
use portolan_abi::step::{Step, StepRead};
use portolan_abi::{capability, codec};
use portolan_abi::{fact_entries, map};
use portolan_plugin_api::testing;

/// Answers a read with the status and bytes of its reply.
pub(crate) type Contract = fn(&StepRead<'_>) -> (u8, Vec<u8>);

/// A dylib, which stays loaded.
pub(crate) struct Golden(PluginRef);

pub(crate) struct Instance(PluginRef, RawInstance);

struct Job(PluginRef, RawJob);

impl Drop for Instance {
    fn drop(&mut self) {
        (self.0.drop_instance())(self.1);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        (self.0.drop_job())(self.1);
    }
}

impl Golden {
    pub(crate) fn load(dylib: &Path) -> Self {
        let header = lib_header_from_path(dylib).expect("the dylib loads");
        Self(header.init_root_module::<PluginRef>().expect("its layout fits"))
    }

    pub(crate) fn manifest(&self) -> &str {
        self.0.manifest()().as_str()
    }

    pub(crate) fn configure(&self, settings: &map::Settings) -> Instance {
        match (self.0.configure())(RSlice::from_slice(&codec::encode(settings))) {
            RResult::ROk(instance) => Instance(self.0, instance),
            RResult::RErr(error) => panic!("{:?}", codec::decode::<map::SettingsError>(&error)),
        }
    }
}

impl Instance {
    pub(crate) fn catalogue(&self) -> Vec<u8> {
        (self.0.catalogue())(&self.1).into_vec()
    }

    /// Runs a job to its end; `line` receives each frame and finding. If the host has capability
    /// [`capability::PENDING_REPLIES`], each reply but the first of a step comes one step later.
    pub(crate) fn run(&self, start: &Start, contract: Contract, line: &mut impl FnMut(&str, &str)) {
        let is_split = start.capabilities & capability::PENDING_REPLIES != 0;
        let start = codec::encode(start);
        line("start", &hex(&start));
        let job = match (self.0.start())(&self.1, RSlice::from_slice(&start)) {
            RResult::ROk(job) => Job(self.0, job),
            RResult::RErr(error) => panic!("{:?}", codec::decode::<StartError>(&error)),
        };
        let mut replies: Vec<(u8, Vec<u8>)> = Vec::new();
        loop {
            let now = if is_split { replies.len().min(1) } else { replies.len() };
            let later = replies.split_off(now);
            let pending = later.iter().map(|_| (status::PENDING, Vec::new()));
            let frame = frame_of(&replies.into_iter().chain(pending).collect::<Vec<_>>());
            line("in", &hex(&frame));
            let out = (self.0.resume())(RSlice::from_slice(&[job.1]), RSlice::from_slice(&frame)).into_vec();
            line("out", &hex(&out));
            let step = Step::parse(&out).expect("a frame comes out");
            step.findings.iter().for_each(|finding| line("finding", &testing::line(finding)));
            for list in &step.facts {
                line("facts", &format!("{} {} of {} {}", list.list, list.from, list.total, hex(list.entries)));
            }
            if step.state != state::READING {
                return line("end", &format!("{} {}", step.state, String::from_utf8_lossy(step.message)));
            }
            let reply = |read: &StepRead<'_>| if read.row.kind == kind::FACTS { known() } else { contract(read) };
            replies = later.into_iter().chain(step.reads.iter().map(reply)).collect();
        }
    }
}

/// The host's copy of a fact list: its first entry, 40.
fn known() -> (u8, Vec<u8>) {
    let mut entries = Vec::new();
    fact_entries::push(&mut entries, &[vec![0; 31], vec![40]].concat());
    let list =
        FactList { entries: entries.into(), block: 1, may_walk: true, reads: 50, again_from: None, again_count: None };
    (status::OK, codec::encode(&list))
}

fn frame_of(replies: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let count = u32::try_from(replies.len()).expect("few replies");
    frame.row(resume_in::JOBS, &JobIn { replies: count, ms_left: 5_000, reads_left: 1_000, bytes_left: 1_000_000 });
    for (status, bytes) in replies {
        let (offset, len) = frame.bytes(bytes).expect("a small blob");
        frame.row(resume_in::REPLIES, &Reply { status: *status, offset, len, ..Reply::default() });
    }
    frame.finish().expect("a small frame")
}

/// Returns true if a read only walks a fact list.
pub(crate) fn is_walk(read: &StepRead<'_>) -> bool {
    read.row.purpose == purpose::WALK
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    alloy::hex::encode(bytes)
}
