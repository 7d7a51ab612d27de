//! `cargo run --release -p portolan-bench --bin lists`: compares the requests a second of `/networks` with those of a bare
//! hyper server, and prints a table.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it measures")]

use std::path::Path;
use std::process::ExitCode;

use portolan_bench as bench;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let done = match (arguments.next(), arguments.next()) {
        (Some(side), Some(file)) if side == "bare" => bench::serve_bare(Path::new(&file)).map(|()| true),
        _ => bench::run_lists(|line| println!("{line}")),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
