//! Programs of Node, run to their end with a deadline.

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::wait;

/// The end of a program, and all that it printed.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// What a program printed that succeeded.
    ///
    /// # Errors
    /// Its exit code and all that it printed, if it failed.
    pub fn success(self) -> Result<String> {
        ensure!(self.status.success(), "{}\n{}{}", self.status, self.stdout, self.stderr);
        Ok(self.stdout)
    }
}

/// Runs a program, and kills it once `within` is over.
///
/// # Errors
/// If it does not start or does not end, with what it printed.
pub fn run(command: &mut Command, within: Duration) -> Result<Ended> {
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut node = started.with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let (stdout, stderr) = (drained(node.stdout.take()), drained(node.stderr.take()));
    let ended = wait::until("the program's end", within, || node.try_wait()?.context("it still runs"));
    if ended.is_err() {
        let _ = node.kill(); // It may have ended meanwhile.
        let _ = node.wait();
    }
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    let (status, _) = ended.with_context(|| stderr.clone())?;
    Ok(Ended { status, stdout, stderr })
}

/// Reads a pipe to its end, so that nobody blocks on it.
fn drained(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        // Output that is not UTF-8 is not an answer either.
        let _ = pipe.map(|mut pipe| pipe.read_to_string(&mut text));
        text
    })
}
