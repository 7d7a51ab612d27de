//! `cargo run --release -p portolan-bench --bin balances`: measures an answer with the token balances of an account on
//! three networks beside a viem script that does the same, in one run, prints tables, and fails where a bound that is
//! not about time is missed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it measures")]

use std::process::ExitCode;

use portolan_bench as bench;

fn main() -> ExitCode {
    match bench::run_balances(|line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
