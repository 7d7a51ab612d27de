//! Attempts to do more than answer: each reports a claim if it succeeded, or does not return.
//!
//! All of them act for one account alone, so that whoever requests all protocols is served.

use std::fs;
use std::hint::black_box;
use std::net::UdpSocket;
use std::process::Command;
use std::thread;

use portolan_plugin_api::*;
use rustix::process::{Pid, Resource, Rlimit, Signal, getpid, getppid, kill_process, setrlimit};

use crate::claims::good;

/// Slugs of what is refused to a worker, and harms nobody by being tried.
const REFUSED: &[&str] = &[
    "reads_a_file",
    "writes_a_file",
    "reads_the_hosts_environment",
    "opens_a_socket",
    "starts_a_process",
    "starts_a_thread",
    "kills_the_host",
    "raises_a_limit",
    "forks",
    "signals_itself",
    "sets_an_alarm",
    "closes_its_pipe",
    "maps_code",
];

/// Slugs of what ends a worker.
const FATAL: &[&str] = &[
    "overflows_the_stack",
    "writes_nowhere",
    "allocates_without_end",
    "computes_for_ever",
    "speaks_unasked",
    "aborts_in_a_drop",
];

/// Slugs of all attempts.
pub(crate) fn slugs() -> impl Iterator<Item = &'static str> {
    REFUSED.iter().chain(FATAL).copied()
}

/// Makes the attempt of this protocol; returns a claim if it was allowed.
#[expect(unsafe_code, reason = "calls of the C library that are to fail")]
pub(crate) fn attempt(cx: &JobContext) -> Vec<Claimable> {
    let parent = getppid().map_or(0, Pid::as_raw_pid);
    let is_allowed = match cx.protocol() {
        "reads_a_file" => fs::read("/etc/hostname").is_ok(),
        "writes_a_file" => fs::write("/tmp/portolan-hostile", "").is_ok(),
        "reads_the_hosts_environment" => fs::read(format!("/proc/{parent}/environ")).is_ok(),
        "opens_a_socket" => UdpSocket::bind("127.0.0.1:0").is_ok(),
        "starts_a_process" => Command::new("/bin/true").spawn().is_ok(),
        "starts_a_thread" => thread::Builder::new().spawn(|| ()).is_ok(),
        // A harmless signal: allowed to send one, it could send any.
        "kills_the_host" => getppid().is_some_and(|parent| kill_process(parent, Signal::CONT).is_ok()),
        "raises_a_limit" => setrlimit(Resource::As, Rlimit { current: None, maximum: None }).is_ok(),
        "forks" => {
            // SAFETY: the child, if there is one, ends at once.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: it runs nothing more of this process.
                unsafe { libc::_exit(0) }
            }
            child > 0
        }
        "signals_itself" => kill_process(getpid(), Signal::TERM).is_ok(),
        // SAFETY: an alarm that is allowed ends this process, as it should not.
        "sets_an_alarm" => unsafe { libc::alarm(1) == 0 && libc::alarm(0) > 0 },
        // SAFETY: nobody here owns the descriptor but the process itself.
        "closes_its_pipe" => unsafe { libc::dup2(1, REPLIES) == REPLIES || libc::close(REPLIES) == 0 },
        "maps_code" => maps_code(),
        "speaks_unasked" => speak(),
        "aborts_in_a_drop" => {
            drop(AbortsInDrop);
            true
        }
        "overflows_the_stack" => deeper(1) == 0,
        "writes_nowhere" => fault(),
        "allocates_without_end" => allocate() == 0,
        "computes_for_ever" => compute() == 0,
        _ => false,
    };
    if is_allowed { vec![good(cx, "allowed", 1)] } else { Vec::new() }
}

#[expect(unconditional_recursion, reason = "the stack must overflow")]
fn deeper(depth: u64) -> u64 {
    let filler = black_box([depth; 512]);
    deeper(depth + 1) + filler[0]
}

#[expect(unsafe_code, reason = "the fault is the deed")]
fn fault() -> bool {
    // SAFETY: there is none: nothing is mapped there, and the process ends.
    unsafe { black_box(std::ptr::without_provenance_mut::<u8>(8)).write_volatile(1) };
    true
}

/// Returns true if a page of it may be executed.
#[expect(unsafe_code, reason = "the attempt is the deed")]
fn maps_code() -> bool {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a page of its own, which nobody executes.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4_096, protection, flags, -1, 0) };
    page != libc::MAP_FAILED
}

/// The descriptor of replies: the second one that a worker opens, beyond those of the standard streams.
const REPLIES: libc::c_int = 4;

/// Writes to the pipe of replies what the host did not ask for, and does not return.
#[expect(unsafe_code, reason = "the descriptor is not its own")]
fn speak() -> bool {
    // SAFETY: the bytes are its own.
    while unsafe { libc::write(REPLIES, [0xff_u8; 64].as_ptr().cast(), 64) } == 64 {}
    false
}

struct AbortsInDrop;

impl Drop for AbortsInDrop {
    fn drop(&mut self) {
        std::process::abort();
    }
}

fn allocate() -> usize {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    loop {
        kept.push(black_box(vec![1; 1 << 20]));
        if kept.len() == usize::MAX {
            return kept.len();
        }
    }
}

fn compute() -> u64 {
    let mut sum = 1_u64;
    loop {
        sum = black_box(sum.wrapping_mul(3));
        if sum == 0 {
            return sum;
        }
    }
}
