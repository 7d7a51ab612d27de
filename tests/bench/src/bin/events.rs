//! `cargo run --release -p portolan-bench --bin events`: measures what the events of a transaction with 500 logs cost
//! the gateway, prints tables, and fails where a bound that is not about time is missed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it measures")]

use std::process::ExitCode;

use portolan_bench as bench;

fn main() -> ExitCode {
    match bench::run_events(|line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
