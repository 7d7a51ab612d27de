//! What a worker may do: next to nothing, by landlock, seccomp and limits of the kernel.
//!
//! Invariant: each step only takes rights away, so that code of the plugin cannot undo it. The loader's calls are
//! allowed until the dylib is loaded ([`FilterStage::Loading`]); a constructor runs with these. What the plugin is called for
//! runs without them ([`FilterStage::Running`]).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope, path_beneath_rules,
};
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, Signal, getpid, getppid, set_dumpable_behavior,
    set_parent_process_death_signal, setrlimit,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use serde::{Deserialize, Serialize};

use crate::limits::SANDBOX_PARTS;

/// Files and folders that the dynamic loader may read beside the dylib.
const LOADERS: [&str; 5] = ["/etc/ld.so.cache", "/lib", "/lib64", "/usr/lib", "/usr/lib64"];
/// The newest landlock of which all rights are denied; older kernels deny those that they know.
const LANDLOCK: ABI = ABI::V6;

/// Input of the restriction.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Restrictions {
    /// The dylib.
    pub(crate) file: PathBuf,
    /// The process that the worker ends with.
    pub(crate) parent: i32,
    /// Maximum bytes of address space beyond what the process has at its start.
    pub(crate) memory_bytes: u64,
}

/// The parts of the sandbox that are in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SandboxStatus {
    /// No file can be opened but the dylib and the loader's libraries.
    pub landlock: bool,
    /// System calls are filtered.
    pub seccomp: bool,
}

impl SandboxStatus {
    /// Names of the parts that are missing.
    pub(crate) fn missing(self) -> impl Iterator<Item = &'static str> {
        let in_force = [self.landlock, self.seccomp];
        SANDBOX_PARTS.into_iter().zip(in_force).filter(|(_, is_in_force)| !is_in_force).map(|(part, _)| part)
    }
}

/// Reason why a process could not restrict itself.
#[derive(Debug, thiserror::Error)]
pub(super) enum SandboxError {
    #[error("its parent has ended")]
    Orphan,
    #[error(transparent)]
    Kernel(#[from] rustix::io::Errno),
    #[error("its memory cannot be measured: {0}")]
    Memory(#[from] std::io::Error),
    #[error(transparent)]
    Landlock(#[from] landlock::RulesetError),
    #[error("the filter of system calls is wrong: {0}")]
    Filter(#[from] seccompiler::BackendError),
    #[error("the filter of system calls is not taken: {0}")]
    Apply(#[from] seccompiler::Error),
}

/// Restricts this process up to the load of the dylib.
pub(super) fn restrict(restrictions: &Restrictions) -> Result<SandboxStatus, SandboxError> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid().is_none_or(|parent| parent.as_raw_nonzero().get() != restrictions.parent) {
        return Err(SandboxError::Orphan);
    }
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    limit(Resource::Memlock, 0)?;
    limit(Resource::As, address_space()?.saturating_add(restrictions.memory_bytes))?;
    let landlock = restrict_files(&restrictions.file)?;
    let seccomp = seccompiler::apply_filter(&filter(FilterStage::Loading)?).is_ok();
    Ok(SandboxStatus { landlock, seccomp })
}

/// Takes the rights away that only the load of the dylib needs. A kernel that took the first filter takes this one,
/// unless a constructor made it fail.
pub(super) fn restrict_to_running() -> Result<(), SandboxError> {
    Ok(seccompiler::apply_filter(&filter(FilterStage::Running)?)?)
}

fn limit(resource: Resource, maximum: u64) -> Result<(), SandboxError> {
    Ok(setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) })?)
}

/// Bytes of address space that this process has now.
fn address_space() -> Result<u64, std::io::Error> {
    let statm = fs::read_to_string("/proc/self/statm")?;
    let pages = statm.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
    let pages = pages.ok_or_else(|| std::io::Error::other("/proc/self/statm has no size"))?;
    Ok(pages.saturating_mul(u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX)))
}

/// Returns true if no file but those named can be opened any more.
fn restrict_files(file: &Path) -> Result<bool, SandboxError> {
    let readable = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let ruleset = ruleset.handle_access(AccessFs::from_all(LANDLOCK))?.handle_access(AccessNet::from_all(LANDLOCK))?;
    let ruleset = ruleset.scope(Scope::from_all(LANDLOCK))?.create()?;
    let allowed = LOADERS.iter().map(Path::new).chain([file]).filter(|path| path.exists());
    let restricted = ruleset.add_rules(path_beneath_rules(allowed, readable))?.restrict_self()?;
    Ok(restricted.ruleset != RulesetStatus::NotEnforced)
}

/// The stages of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilterStage {
    /// The loader opens and maps files, and the next filter can be set.
    Loading,
    Running,
}

/// System calls that compute, manage own memory, and use the pipes.
const RUNNING: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_read,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
    libc::SYS_write,
];

/// Further system calls of the loader, and the one that sets the next filter.
const LOADING: &[i64] = &[
    libc::SYS_close,
    libc::SYS_faccessat,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pread64,
    libc::SYS_readlinkat,
    libc::SYS_seccomp,
];

/// Compiles the filter of a stage. A call that it does not allow fails with `EPERM`.
fn filter(stage: FilterStage) -> Result<BpfProgram, SandboxError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = RUNNING.iter().map(|call| (*call, Vec::new())).collect();
    if stage == FilterStage::Loading {
        rules.extend(LOADING.iter().map(|call| (*call, Vec::new())));
        // What the next filter takes. No other: a constructor could let this process live longer than the host.
        let privileges = u64::from(libc::PR_SET_NO_NEW_PRIVS.cast_unsigned());
        let condition = condition(0, SeccompCmpOp::Eq, privileges)?;
        rules.insert(libc::SYS_prctl, vec![SeccompRule::new(vec![condition])?]);
    } else {
        let executable = SeccompCmpOp::MaskedEq(u64::from(libc::PROT_EXEC.cast_unsigned()));
        for call in [libc::SYS_mmap, libc::SYS_mprotect] {
            rules.insert(call, vec![SeccompRule::new(vec![condition(2, executable.clone(), 0)?])?]);
        }
    }
    // An abort sends its signal so. Other processes cannot be named, nor the signal of a kill from outside.
    let own = u64::try_from(getpid().as_raw_nonzero().get()).unwrap_or_default();
    let abort = u64::from(libc::SIGABRT.cast_unsigned());
    let conditions = [(0, own), (2, abort)].map(|(argument, value)| condition(argument, SeccompCmpOp::Eq, value));
    let conditions = conditions.into_iter().collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(conditions)?]);
    let denied = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, denied, SeccompAction::Allow, arch)?.try_into()?)
}

fn condition(argument: u8, operation: SeccompCmpOp, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operation, value)
}
