//! Clears the environment of Portolan's own variables, which may hold keys: it stands in `/proc` for as long as the process
//! lives, and every plugin could read it there.
//!
//! No process can change what the kernel shows as its first environment. So it executes itself once more, under the same
//! process id and without these variables, which stand in a file in memory that is its stdin and that it empties.

use std::env;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::fs::{MemfdFlags, memfd_create};

/// Set in the second execution.
pub(super) const MARKER: &str = "PORTOLAN_ENVIRONMENT_ON_STDIN";

/// Between variables; none can hold it.
const END: char = '\0';

/// Executes this program again without these variables; returns only if that fails.
pub(super) fn send<'a>(own: impl Iterator<Item = (&'a String, &'a String)>) -> io::Error {
    match command(own) {
        Ok(mut command) => command.exec(),
        Err(error) => error,
    }
}

fn command<'a>(own: impl Iterator<Item = (&'a String, &'a String)>) -> io::Result<Command> {
    let mut file = File::from(memfd_create("environment", MemfdFlags::CLOEXEC)?);
    let mut command = Command::new(env::current_exe()?);
    for (name, value) in own {
        write!(file, "{name}={value}{END}")?;
        command.env_remove(name);
    }
    file.rewind()?;
    let mut arguments = env::args_os();
    command.arg0(arguments.next().unwrap_or_else(|| OsString::from("portolan"))).args(arguments);
    command.env(MARKER, "1").stdin(Stdio::from(file));
    Ok(command)
}

/// The variables that the first execution sent.
pub(super) fn receive() -> io::Result<Vec<(String, String)>> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    OpenOptions::new().write(true).open("/proc/self/fd/0")?.set_len(0)?;
    let variables = text.split_terminator(END).filter_map(|variable| variable.split_once('='));
    Ok(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
