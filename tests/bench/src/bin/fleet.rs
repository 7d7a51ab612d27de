//! `cargo run --release -p portolan-bench --bin fleet [SECTION]...`: runs replicas behind HAProxy, with a store that they
//! share and nodes at 50 ms, prints tables, and fails where a bound is missed that is neither about time nor only aimed at.
//!
//! Sections are `replicas`, `faults`, `start`, `noise`, `inputs` and `capacity`; all without any. Needs `redis-server`,
//! `redis-cli` and `haproxy`, which are packages of Debian.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it measures")]

use std::process::ExitCode;

use portolan_bench as bench;

fn main() -> ExitCode {
    let sections: Vec<String> = std::env::args().skip(1).collect();
    let sections: Vec<&str> = sections.iter().map(String::as_str).collect();
    match bench::run_fleet(&sections, |line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
