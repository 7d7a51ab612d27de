//! `cargo run --release -p portolan-bench --bin corpus -- DIR`: queries the gateway for the events of the transactions
//! of a folder, scores every answer by the truth in it, prints tables and failures, and fails below the bars.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it finds")]

use std::process::ExitCode;

use portolan_bench::corpus;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder] = args.as_slice() else {
        eprintln!("usage: corpus DIR");
        return ExitCode::from(2);
    };
    match corpus::run(folder.as_ref(), |line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
