//! The gateway's end of the socket. Only the owner of the process and root are answered, a few at a time.
//!
//! Invariant: the gateway also runs without the socket, which is logged once; and no request outlives its deadline.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use portolan_base::sanitize::output;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{ControlReply, ControlRequest, ControlState, socket};

/// Only the owner may connect.
const MODE: u32 = 0o600;
/// Maximum concurrent requests: one operator and some scripts. Each may read the whole file of facts.
const AT_ONCE: usize = 4;
/// Maximum size of a request; the longest names a host.
const REQUEST_BYTES_MAX: u64 = 16 << 10;
/// Deadline of a request; reading a full file takes some seconds.
const REQUEST_TIME: Duration = Duration::from_secs(30);
/// Pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The bound socket; its file is removed on drop.
#[derive(Debug)]
pub(crate) struct ControlSocket {
    path: PathBuf,
    _serving: JoinSet<()>,
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // A leftover file is replaced at the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// Starts to answer operators. Returns `None`, after logging why, if that is not possible.
pub(crate) fn start(state_dir: &Path, state: ControlState) -> Option<ControlSocket> {
    let path = socket(state_dir);
    match bind(&path) {
        Ok((listener, owner)) => {
            let mut serving = JoinSet::new();
            serving.spawn(accept(listener, owner, state));
            Some(ControlSocket { path, _serving: serving })
        }
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no commands of operators are answered");
            None
        }
    }
}

/// Binds the socket; returns the listener and the id of the process's user.
fn bind(path: &Path) -> io::Result<(UnixListener, u32)> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another gateway answers there"));
        }
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(MODE))?;
    Ok((listener, fs::metadata(path)?.uid()))
}

async fn accept(listener: UnixListener, owner: u32, state: ControlState) {
    let (turns, mut serving) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
    loop {
        let Ok(turn) = Arc::clone(&turns).acquire_owned().await else { return };
        while serving.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) if is_allowed(&stream, owner) => {
                let state = state.clone();
                serving.spawn(async move {
                    // Clients that left or are too slow get no reply.
                    let _ = timeout(REQUEST_TIME, answer(stream, state, turn)).await;
                });
            }
            Ok(_) => tracing::warn!("a command of another user was refused"),
            Err(error) => {
                tracing::warn!(%error, "a command was not accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Returns true for the owner and root. Not every system enforces the file's mode.
fn is_allowed(stream: &UnixStream, owner: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == owner || peer.uid() == 0)
}

/// Holds the turn until the command has ended, which may be later than its reply is due.
async fn answer(mut stream: UnixStream, state: ControlState, turn: OwnedSemaphorePermit) -> io::Result<()> {
    let (reader, mut writer) = stream.split();
    let mut line = String::new();
    BufReader::new(reader.take(REQUEST_BYTES_MAX)).read_line(&mut line).await?;
    let (reply, _turn) = match serde_json::from_str::<ControlRequest>(&line) {
        Ok(request) => {
            let command = move || (request.answer(&state), turn);
            tokio::task::spawn_blocking(command).await.map_err(io::Error::other)?
        }
        Err(error) => (ControlReply::Failed(format!("the request cannot be read: {error}")), turn),
    };
    let mut reply = output::json(&reply)?;
    reply.push(b'\n');
    writer.write_all(&reply).await?;
    writer.shutdown().await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use portolan_base::files::TrustedOwners;
    use portolan_base::network::Networks;
    use portolan_plugins::Registry;
    use portolan_plugins::commands::PluginDecision;
    use portolan_plugins::limits::PluginLimits;
    use portolan_plugins::signature::SignatureSettings;
    use portolan_reader::{ChainReader, Limits, StoreSettings, StoredReplyFilter};

    use super::super::client;
    use super::*;

    fn state(folder: &Path) -> ControlState {
        let (lifetime, again_after) = (Duration::from_secs(86_400), Duration::from_secs(1));
        let settings = StoreSettings { folder: folder.to_owned(), lifetime, again_after };
        let facts = ChainReader::new(Vec::new(), Limits::default(), Some(&settings), None).stored_replies().clone();
        let (plugins, writers) = (folder.join("plugins"), TrustedOwners::of_process(None));
        let (limits, signatures) = (PluginLimits::default(), SignatureSettings::default());
        let registry = Registry::start(&plugins, folder, writers, Networks::new([]), limits, signatures).unwrap();
        ControlState { facts, registry }
    }

    #[tokio::test]
    async fn a_command_is_answered_by_the_gateway_that_runs_and_the_socket_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path());
        let control = start(folder.path(), state.clone()).unwrap();
        let path = socket(folder.path());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(start(folder.path(), state.clone()).is_none(), "one gateway for a folder");
        for (request, expected) in [
            (
                ControlRequest::ShowFacts(StoredReplyFilter::default()),
                ControlReply::Facts { facts: Vec::new(), more: 0 },
            ),
            (ControlRequest::PurgeFacts(StoredReplyFilter::default()), ControlReply::Purged { memory: 0, disk: 0 }),
            (
                ControlRequest::Decide { plugin: "acme".to_owned(), decision: PluginDecision::Enable },
                ControlReply::Failed("no plugin is called \"acme\"; there are none".to_owned()),
            ),
        ] {
            let at = path.clone();
            let reply = tokio::task::spawn_blocking(move || client::send(&at, &request)).await.unwrap();
            assert_eq!(reply.unwrap(), Some(expected));
        }
        drop(control);
        assert!(!path.exists());
        // The file that a killed process leaves is replaced.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(start(folder.path(), state).is_some());
    }
}
