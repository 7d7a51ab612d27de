//! A command with a pseudo-terminal as its stdout, and a pipe as its stderr.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result, anyhow};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

/// Runs a command to its end on a terminal with so many columns; what it wrote to the terminal and to stderr.
pub(super) fn on_terminal(command: &mut Command, columns: u16) -> Result<(String, String)> {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&terminal)?;
    unlockpt(&terminal)?;
    let name = ptsname(&terminal, Vec::new())?;
    let path = std::ffi::OsStr::from_bytes(name.to_bytes());
    let programs_end: OwnedFd = OpenOptions::new().read(true).write(true).open(path)?.into();
    tcsetwinsize(&programs_end, Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?;
    // As it is written, without a carriage return before each line feed.
    let mut modes = tcgetattr(&programs_end)?;
    modes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&programs_end, OptionalActions::Now, &modes)?;
    let mut child = command.stdout(Stdio::from(programs_end)).stderr(Stdio::piped()).spawn()?;
    // The command holds its end too, and the terminal ends when nobody has it any more.
    command.stdout(Stdio::null());
    let mut stderr = child.stderr.take().context("no stderr")?;
    let said = thread::spawn(move || -> io::Result<String> {
        let mut said = String::new();
        stderr.read_to_string(&mut said)?;
        Ok(said)
    });
    let mut written = Vec::new();
    let mut part = [0; 4096];
    // A terminal whose other end is closed is an error rather than an end.
    while let Ok(count) = rustix::io::read(&terminal, &mut part) {
        if count == 0 {
            break;
        }
        written.extend_from_slice(part.get(..count).unwrap_or_default());
    }
    child.wait()?;
    let said = said.join().map_err(|_| anyhow!("stderr was not read"))??;
    Ok((String::from_utf8(written)?, said))
}
