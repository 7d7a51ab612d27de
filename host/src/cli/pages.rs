//! Completions, man pages and the reference of commands, all from the definitions of the command line.
//!
//! Invariant: hidden commands, which the host starts itself, are in none of them.

use std::io;
use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use super::CommandLine;

/// The program's name in its completions and pages.
const PROGRAM: &str = "portolan";

/// Returns the completions of a shell.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut shown(), PROGRAM, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes a page for each command, `portolan-plugin-list.1` for `portolan plugin list`.
///
/// # Errors
/// An error of the file system.
pub(crate) fn write_man_pages(folder: &Path) -> io::Result<()> {
    clap_mangen::generate_to(shown(), folder)
}

/// Returns the definitions without hidden commands.
fn shown() -> Command {
    let command = CommandLine::command();
    let hidden: Vec<String> =
        command.get_subcommands().filter(|own| own.is_hide_set()).map(|own| own.get_name().to_owned()).collect();
    without(command, &hidden)
}

/// Rebuilds the root, because a command cannot be taken out.
fn without(command: Command, names: &[String]) -> Command {
    let mut root = Command::new(PROGRAM).version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    if let Some(about) = command.get_about() {
        root = root.about(about.clone());
    }
    let subcommands = command.get_subcommands().filter(|own| !names.iter().any(|name| name == own.get_name()));
    root.subcommand_required(true).subcommands(subcommands.cloned())
}

#[cfg(test)]
mod tests;
