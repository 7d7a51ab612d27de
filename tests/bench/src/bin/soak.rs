//! `cargo run --release -p portolan-bench --bin soak -- MINUTES`: attacks a gateway in 512 MB of memory for so many minutes
//! (10), with honest clients beside, prints a table, and fails where a bound that is not about time is missed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it measures")]

use std::process::ExitCode;

use portolan_bench as bench;

const MINUTES: f64 = 10.0;

fn main() -> ExitCode {
    let minutes = std::env::args().nth(1).map_or(Ok(MINUTES), |minutes| minutes.parse());
    let Ok(minutes) = minutes else {
        eprintln!("usage: soak [MINUTES]");
        return ExitCode::FAILURE;
    };
    match bench::run_soak(minutes, |line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
