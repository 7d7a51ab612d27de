//! `cargo demo`: everything on local chains, until Ctrl-C. `cargo demo --once`: requests, compares and ends; with
//! `--verbose`, it prints each answer. `cargo demo --run COMMAND`: runs a command against it, and ends as it ends.

use std::io::{stderr, stdout};
use std::process::ExitCode;

use anyhow::Result;
use portolan_tests::demo;

#[expect(clippy::print_stderr, reason = "a command line tool prints what is wrong")]
fn main() -> ExitCode {
    // `cargo demo -- --once` hands over the dashes too.
    let args: Vec<String> = std::env::args().skip(1).skip_while(|arg| arg == "--").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        [] => demo::run(&mut stdout()).map(|()| ExitCode::SUCCESS),
        ["--once"] => demo::run_once(&mut stdout(), false).map(|()| ExitCode::SUCCESS),
        ["--once", "--verbose"] | ["--verbose", "--once"] => {
            demo::run_once(&mut stdout(), true).map(|()| ExitCode::SUCCESS)
        }
        ["--run", command @ ..] if !command.is_empty() => run(command),
        _ => {
            eprintln!("usage: cargo demo [--once [--verbose] | --run COMMAND [ARGUMENT...]]");
            return ExitCode::from(2);
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::FAILURE
    })
}

/// What the demo says of itself goes to stderr, so that stdout is the command's.
fn run(command: &[&str]) -> Result<ExitCode> {
    let status = demo::run_command(command, &mut stderr())?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
