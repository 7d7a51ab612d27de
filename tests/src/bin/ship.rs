//! `cargo ship`: the gateway and all plugins, ready to run. `cargo ship --archive`: the release archive of it.

use std::process::ExitCode;

use portolan_tests::ship;

#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command line tool prints what it made, or what is wrong"
)]
fn main() -> ExitCode {
    // `cargo ship -- --archive` hands over the dashes too.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--").collect();
    let made = match args.as_slice() {
        [] => ship::run(),
        [archive] if archive == "--archive" => ship::archive::run(),
        _ => {
            eprintln!("usage: cargo ship [--archive]");
            return ExitCode::from(2);
        }
    };
    match made {
        Ok(made) => {
            println!("{made}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
