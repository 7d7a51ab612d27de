//! `cargo run --release -p portolan-bench --bin streams [SECTION]...`: measures answers as streams, and watchers, prints
//! tables, and fails where a bound that is not about time is missed.
//!
//! Sections are `rows` and `watchers`; both without any. `BENCH_MINUTES` is how long there are watchers (5).
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it measures")]

use std::process::ExitCode;

use portolan_bench as bench;

fn main() -> ExitCode {
    let sections: Vec<String> = std::env::args().skip(1).collect();
    let sections: Vec<&str> = sections.iter().map(String::as_str).collect();
    match bench::run_streams(&sections, |line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
