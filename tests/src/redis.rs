//! A Redis of a test: the real `redis-server` at a socket of its own, without a port or files.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{chain, wait};

const START_WITHIN: Duration = Duration::from_secs(10);

/// The server; ends with the value.
#[derive(Debug)]
pub struct Redis {
    process: Child,
    settings: Vec<String>,
    folder: TempDir,
}

impl Redis {
    /// Starts a server with further arguments, and waits until it answers; `None` if it is not installed.
    ///
    /// # Errors
    /// Where it is installed and does not answer.
    pub fn start(settings: &[&str]) -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let settings: Vec<String> = settings.iter().map(|own| (*own).to_owned()).collect();
        let process = match server(&folder, &settings).spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            started => started.context("redis-server")?,
        };
        let redis = Self { process, settings, folder };
        redis.is_up()?;
        Ok(Some(redis))
    }

    pub fn url(&self) -> String {
        format!("redis+unix://{}", socket(&self.folder).display())
    }

    /// Its process, by its id.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// Where it has ended.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let id = Pid::from_raw(i32::try_from(self.process.id())?).context("process id 0")?;
        Ok(kill_process(id, signal)?)
    }

    pub fn kill(&mut self) {
        chain::end(&mut self.process);
    }

    /// Starts it again, empty, after it was killed.
    ///
    /// # Errors
    /// Where it does not answer.
    pub fn restart(&mut self) -> Result<()> {
        self.process = server(&self.folder, &self.settings).spawn().context("redis-server")?;
        self.is_up()
    }

    /// Runs a command on it, and returns what it answers.
    ///
    /// # Errors
    /// Where it refuses the command.
    pub fn command(&self, args: &[&str]) -> Result<String> {
        let mut command = Command::new("redis-cli");
        let done = command.arg("-e").arg("-s").arg(socket(&self.folder)).args(args).output().context("redis-cli")?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        ensure!(done.status.success(), "{args:?}: {said}{}", String::from_utf8_lossy(&done.stderr));
        Ok(said)
    }

    fn is_up(&self) -> Result<()> {
        // One with a password answers that it needs it.
        let answers = || match self.command(&["PING"]) {
            Err(error) if !format!("{error:#}").contains("NOAUTH") => bail!(error),
            _ => Ok(()),
        };
        wait::until("redis-server", START_WITHIN, answers).map(drop)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

fn socket(folder: &TempDir) -> PathBuf {
    folder.path().join("socket")
}

fn server(folder: &TempDir, settings: &[String]) -> Command {
    let mut command = Command::new("redis-server");
    command.args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no", "--unixsocket"]);
    command.arg(socket(folder)).arg("--dir").arg(folder.path()).args(settings);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
