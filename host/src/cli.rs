//! The command line. Invariant: every wrong use is one line on stderr and exit code 2; RPC URLs are taken as plain
//! text here, so that no error text of the parser can repeat one.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};

use crate::sanitize;

/// A self-hosted gateway that answers what an account holds and can claim on EVM networks.
#[derive(Debug, Parser)]
#[command(name = "portolan", version, disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve until SIGTERM or SIGINT.
    Serve(Flags),
    /// Load a plugin file once, in a process of its own; the host starts this itself.
    #[command(hide = true)]
    Probe {
        /// A staged copy of the file.
        file: PathBuf,
    },
}

/// Flags of `serve`. They go before the environment, which goes before the file.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Flags {
    /// Configuration file (TOML).
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// Folder of plugin dylibs and their settings [default: portolan-plugins beside FILE, else in ~/.local/state].
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<String>,
    /// Folder for staged plugins and caches [default: portolan-state beside FILE, else in ~/.local/state].
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<String>,
    /// Address of every call but the aggregate one [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Address of the aggregate claimables call [default: 127.0.0.1:8081].
    #[arg(long, value_name = "ADDR")]
    pub(crate) claimables_listen: Option<String>,
    /// Address for operators: health, readiness, plugins [default: 127.0.0.1:9090].
    #[arg(long, value_name = "ADDR")]
    pub(crate) operators_listen: Option<String>,
    /// JSON-RPC endpoint of a network; repeatable, preferred first; replaces what else names that network's. For tries:
    /// every user of the machine sees it in the process list. Keys belong in FILE or in `PORTOLAN_RPC_<NETWORK>`.
    #[arg(long, value_name = "NETWORK=URL")]
    pub(crate) rpc: Vec<String>,
    /// `text` or `json` [default: text].
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
}

/// Why the process ends before it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Help or version, for stdout.
    Show(String),
    /// One line for stderr.
    Misuse(String),
}

/// Reads the command line; the first argument is the program's name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Stop> {
    CommandLine::try_parse_from(arguments).map(|line| line.command).map_err(|error| stop(&error))
}

fn stop(error: &clap::Error) -> Stop {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Stop::Show(error.to_string()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Stop::Misuse("a command is missing; see portolan --help".into())
        }
        _ => {
            let text = error.to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            Stop::Misuse(sanitize::single_line(first.trim_start_matches("error: ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, Stop> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn misuse(line: &str) -> String {
        match read(line) {
            Err(Stop::Misuse(text)) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn rpc_may_be_given_several_times_in_order() {
        let Ok(Command::Serve(flags)) = read("portolan serve --rpc a=http://x --state s --rpc b=http://y") else {
            panic!("not read")
        };
        assert_eq!(flags.rpc, ["a=http://x", "b=http://y"]);
        assert_eq!(flags.state.as_deref(), Some("s"));
    }

    #[test]
    fn misuse_is_one_line() {
        let cases = [
            "portolan",
            "portolan fly",
            "portolan serve --lisen 1",
            "portolan serve --listen",
            "portolan serve --listen 1 --listen 2",
            "portolan serve extra",
        ];
        for case in cases {
            let text = misuse(case);
            assert!(!text.is_empty() && !text.contains('\n'), "{case}: {text}");
        }
        assert!(misuse("portolan serve --lisen 1").contains("--lisen"));
    }

    #[test]
    fn a_misplaced_url_is_not_repeated() {
        assert!(!misuse("portolan serve https://rpc.example/KEY").contains("KEY"));
    }

    #[test]
    fn help_and_version_are_no_misuse() {
        for case in ["portolan --help", "portolan serve --help", "portolan --version"] {
            assert!(matches!(read(case), Err(Stop::Show(_))), "{case}");
        }
    }
}
