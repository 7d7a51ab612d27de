//! Clears Portolan's own variables, which may hold keys, from the environment: it stays readable in `/proc` as long as
//! the process lives, also for every plugin.
//!
//! No process can change the initial environment that the kernel shows. So the program executes itself again, under
//! the same process id, without these variables. It gets them as stdin, an in-memory file that it empties.

use std::env;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::fs::{MemfdFlags, memfd_create};

/// Set for the second execution.
pub(super) const MARKER: &str = "PORTOLAN_ENVIRONMENT_ON_STDIN";

/// Separates variables, which cannot contain it.
const END: char = '\0';

/// Executes this program again without these variables; returns only on failure.
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

/// Reads the variables that the first execution sent.
pub(super) fn receive() -> io::Result<Vec<(String, String)>> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    OpenOptions::new().write(true).open("/proc/self/fd/0")?.set_len(0)?;
    let variables = text.split_terminator(END).filter_map(|variable| variable.split_once('='));
    Ok(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
