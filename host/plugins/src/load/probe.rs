//! The probe process: this executable, run once for each new dylib before the host loads it.
//!
//! If the file hangs, crashes or exits when it is loaded and called, it does so here first. Invariant: a probe passed
//! only if it exits with `PASSED`, a code that a constructor's `exit` does not return by chance.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use abi_stable::std_types::{RErr, ROk, RSlice};
use portolan_abi::codec;
use portolan_abi::map::{Catalogue, Selftest, Settings, SettingsError};
use portolan_abi::root::PluginRef;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::{Instant, timeout_at};

use crate::files::elf;
use crate::files::manifest::Manifest;
use crate::load::dylib::{self, OpenError, REASON_CHARS_MAX};

/// Exit code of a probe that found nothing wrong.
const PASSED: u8 = 87;
/// A probe takes milliseconds; the rest is for a machine under load.
const PROBE_LIMIT: Duration = Duration::from_secs(5);
/// A layout error has up to 29 KB.
const STDERR_BYTES_MAX: u64 = 64 << 10;

/// Reason why a dylib did not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProbeError {
    /// The probe's message.
    #[error("{0}")]
    Refused(String),
    #[error("crashed while being probed ({0})")]
    Crashed(ExitStatus),
    #[error("ended the process while being probed ({0})")]
    Ended(ExitStatus),
    #[error("did not load and answer within {} ms in a probe", PROBE_LIMIT.as_millis())]
    Timeout,
    /// A failure of the host, not of the file.
    #[error("cannot run a probe: {0}")]
    Spawn(String),
}

/// Runs probes.
#[derive(Clone, Debug)]
pub(crate) struct Prober {
    executable: PathBuf,
}

impl Prober {
    /// Probes with the running executable, even if its file was replaced.
    pub(crate) fn new() -> Self {
        Self { executable: PathBuf::from("/proc/self/exe") }
    }

    /// Probes a staged copy. The process is killed and reaped if it is late or the caller stops waiting.
    pub(crate) async fn probe(&self, staged: &Path) -> Result<(), ProbeError> {
        let deadline = Instant::now() + PROBE_LIMIT;
        let mut command = Command::new(&self.executable);
        command.arg("probe").arg(staged).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let spawn_error = |error: std::io::Error| ProbeError::Spawn(error.to_string());
        let mut child = command.spawn().map_err(spawn_error)?;
        let stderr = child.stderr.take();
        let both = async { tokio::join!(child.wait(), read_all(stderr)) };
        let Ok((status, output)) = timeout_at(deadline, both).await else {
            child.kill().await.map_err(spawn_error)?;
            return Err(ProbeError::Timeout);
        };
        verdict(status.map_err(spawn_error)?, &output)
    }
}

async fn read_all(stderr: Option<impl AsyncRead + Unpin>) -> String {
    let mut output = Vec::new();
    if let Some(stderr) = stderr {
        // Output that cannot be read is ignored; the exit code decides.
        let _ = stderr.take(STDERR_BYTES_MAX).read_to_end(&mut output).await;
    }
    String::from_utf8_lossy(&output).into_owned()
}

fn verdict(status: ExitStatus, output: &str) -> Result<(), ProbeError> {
    let Some(code) = status.code() else { return Err(ProbeError::Crashed(status)) };
    if code == i32::from(PASSED) {
        return Ok(());
    }
    let (line, details) = output.split_once('\n').unwrap_or((output, ""));
    let line: String = portolan_base::sanitize::plain(line, REASON_CHARS_MAX);
    if code != 1 || line.is_empty() {
        return Err(ProbeError::Ended(status));
    }
    if !details.is_empty() {
        tracing::debug!(details, "details of a failed probe");
    }
    Err(ProbeError::Refused(line))
}

/// The hidden subcommand `probe FILE`: loads a staged dylib and calls everything in it that needs no chain. Prints
/// nothing on success, else the reason to stderr: one line, then details.
pub fn main(path: &Path) -> ExitCode {
    let Err(failure) = load(path) else { return ExitCode::from(PASSED) };
    let details = failure.load.as_ref().and_then(OpenError::details).unwrap_or_default();
    let mut stderr = std::io::stderr().lock();
    // If stderr cannot be written, the exit code still reports the failure.
    let _ = writeln!(stderr, "{}\n{details}", failure.reason);
    ExitCode::FAILURE
}

/// Reason why the probe failed.
struct ProbeFailure {
    reason: String,
    load: Option<OpenError>,
}

impl From<OpenError> for ProbeFailure {
    fn from(error: OpenError) -> Self {
        Self { reason: error.to_string(), load: Some(error) }
    }
}

impl From<String> for ProbeFailure {
    fn from(reason: String) -> Self {
        Self { reason, load: None }
    }
}

fn load(path: &Path) -> Result<(), ProbeFailure> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read it: {error}"))?;
    let json = elf::lint(&bytes).map_err(|error| error.to_string())?;
    let manifest = Manifest::parse(json).map_err(|error| error.to_string())?;
    manifest.check().map_err(|error| error.to_string())?;
    Ok(check(dylib::open(path, &manifest)?)?)
}

/// Calls everything in a loaded plugin that needs no chain.
pub(super) fn check(plugin: PluginRef) -> Result<(), String> {
    selftest(plugin)?;
    configure(plugin)
}

fn selftest(plugin: PluginRef) -> Result<(), String> {
    let answer = plugin.selftest()();
    let output: Selftest =
        codec::decode(&answer).map_err(|error| format!("its selftest does not return a CBOR map: {error}"))?;
    if output.ok { Ok(()) } else { Err(format!("its selftest says: {}", output.message)) }
}

/// Accepts a catalogue for default settings or a well-formed refusal: the operator's settings may be accepted.
fn configure(plugin: PluginRef) -> Result<(), String> {
    let settings = codec::encode(&Settings { shipped: true, ..Settings::default() });
    match plugin.configure()(RSlice::from_slice(&settings)) {
        ROk(instance) => {
            let answer = plugin.catalogue()(&instance);
            plugin.drop_instance()(instance);
            let decoded = codec::decode::<Catalogue>(&answer);
            decoded.map(drop).map_err(|error| format!("its catalogue is not a CBOR map: {error}"))
        }
        RErr(refusal) => {
            let decoded = codec::decode::<SettingsError>(&refusal);
            decoded.map(drop).map_err(|error| format!("its settings error is not a CBOR map: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn exited(code: i32) -> ExitStatus {
        ExitStatus::from_raw(code << 8)
    }

    #[test]
    fn only_the_pass_code_passes() {
        const SIGSEGV: i32 = 11;
        let refused = ProbeError::Refused("it is not a plugin".into());
        assert_eq!(verdict(exited(87), ""), Ok(()));
        assert_eq!(verdict(exited(0), ""), Err(ProbeError::Ended(exited(0))));
        assert_eq!(verdict(exited(1), "it is not\u{7} a plugin\nlong text"), Err(refused));
        assert_eq!(verdict(exited(1), ""), Err(ProbeError::Ended(exited(1))));
        assert_eq!(verdict(exited(127), "symbol lookup error"), Err(ProbeError::Ended(exited(127))));
        let crashed = ExitStatus::from_raw(SIGSEGV);
        assert_eq!(verdict(crashed, "it is not a plugin"), Err(ProbeError::Crashed(crashed)));
    }

    #[tokio::test]
    async fn a_probe_that_cannot_run_is_the_hosts_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let prober = Prober { executable: folder.path().join("nothing") };
        let outcome = prober.probe(&folder.path().join("a.so")).await;
        assert!(matches!(outcome, Err(ProbeError::Spawn(_))), "{outcome:?}");
    }

    #[test]
    fn a_text_file_fails_the_probe_before_it_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.so");
        std::fs::write(&file, "no library").unwrap();
        assert_eq!(load(&file).err().map(|failure| failure.reason), Some("not an ELF file".into()));
    }
}
