//! `cargo run --release -p portolan-bench --bin reads [SECTION]...`: measures Portolan's reads beside viem's and
//! alloy's in one run, prints tables, and fails where a bound is missed that is neither about time nor only aimed at.
//!
//! Sections are `peers`, `growth`, `joined`, `aggregate`, `positions`, `simulations`, `answers`, `overhead`, `shipped`,
//! `accounts`, `isolation`, `reloads`, `deeds` and `explorer`; all without any.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it measures")]

use std::process::ExitCode;

use portolan_bench as bench;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // The worker that the section `isolation` starts.
    if args == ["worker"] {
        return portolan_plugins::worker::main();
    }
    let sections: Vec<&str> = args.iter().map(String::as_str).collect();
    match bench::run(&sections, |line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
