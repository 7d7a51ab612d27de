//! `cargo run --release -p portolan-tests --features bench --bin bench-reads [SECTION]...`: measures Portolan's reads
//! beside viem's and alloy's in one run, prints tables, and fails where a bound that is not about time is missed.
//!
//! Sections are `peers`, `growth`, `joined` and `aggregate`; all without any.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool tells its user what it measures")]

use std::process::ExitCode;

use portolan_tests::bench;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        // What the driver starts for each side, so that CPU time is that of the side alone.
        ["side", way, world] => bench::serve(way, world.as_ref()).map(|()| true),
        sections => bench::run(sections, |line| println!("{line}")),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
