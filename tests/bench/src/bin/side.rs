//! `side WAY WORLD`: one side of the benchmark of reads, a process of its own so that its CPU time is its own alone.
//!
//! `reads` builds it and starts it.
#![expect(clippy::print_stderr, reason = "a command line tool tells its user what is wrong")]

use std::process::ExitCode;

use portolan_bench::side;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [way, world] = args.as_slice() else {
        eprintln!("usage: side WAY WORLD");
        return ExitCode::from(2);
    };
    match side::serve(way, world.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
