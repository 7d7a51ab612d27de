//! `cargo demo`: everything on local chains, until Ctrl-C. `cargo demo --once`: requests, compares and ends; with
//! `--verbose`, it prints each answer.

use std::process::ExitCode;

use portolan_tests::demo;

#[expect(clippy::print_stderr, reason = "a command line tool prints what is wrong")]
fn main() -> ExitCode {
    // `cargo demo -- --once` hands over the dashes too.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        [] => demo::run(&mut std::io::stdout()),
        ["--once"] => demo::run_once(&mut std::io::stdout(), false),
        ["--once", "--verbose"] | ["--verbose", "--once"] => demo::run_once(&mut std::io::stdout(), true),
        _ => {
            eprintln!("usage: cargo demo [--once [--verbose]]");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
