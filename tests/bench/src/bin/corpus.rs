//! `cargo run --release -p portolan-bench --bin corpus -- DIR [--answers FILE] [--failures FILE]`: queries the gateway for
//! the events of the transactions of a folder, scores every answer by the truth in it, prints tables and the causes of
//! failures, and fails below the bars.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints what it finds")]

use std::path::PathBuf;
use std::process::ExitCode;

use portolan_bench::corpus::{self, Outputs};

fn main() -> ExitCode {
    let Some((folder, outputs)) = arguments(std::env::args().skip(1)) else {
        eprintln!("usage: corpus DIR [--answers FILE] [--failures FILE]");
        return ExitCode::from(2);
    };
    match corpus::run(&folder, &outputs, |line| println!("{line}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn arguments(mut args: impl Iterator<Item = String>) -> Option<(PathBuf, Outputs)> {
    let (mut folder, mut outputs) = (None, Outputs::default());
    while let Some(arg) = args.next() {
        let place = match arg.as_str() {
            "--answers" => &mut outputs.answers,
            "--failures" => &mut outputs.failures,
            _ => {
                folder = Some(arg.into());
                continue;
            }
        };
        *place = Some(args.next()?.into());
    }
    Some((folder?, outputs))
}
