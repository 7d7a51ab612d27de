//! `cargo run -p portolan-tests --features record --bin record [PLUGIN]...`: records the plugins' fixtures from the
//! test chains anew, all or those of the named plugins.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool tells its user what it does")]

use std::process::ExitCode;

fn main() -> ExitCode {
    let plugins: Vec<String> = std::env::args().skip(1).collect();
    match portolan_tests::record::all(&plugins, |line| println!("{line}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
