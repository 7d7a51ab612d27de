//! The client's end of the socket.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use portolan_base::sanitize::output;

use super::{ControlReply, ControlRequest};

/// Longer than the gateway's own limit for a request.
const REPLY_TIME: Duration = Duration::from_secs(40);

/// Reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    /// Invalid arguments.
    #[error("{0}")]
    Misuse(String),
    #[error("{0}")]
    Failed(String),
    #[error("no gateway runs with the state folder {0}; --state or --config names another one")]
    NotRunning(String),
}

/// Sends a request and returns the reply; `None` if no gateway listens.
pub(super) fn send(socket: &Path, request: &ControlRequest) -> io::Result<Option<ControlReply>> {
    let mut stream = match UnixStream::connect(socket) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    stream.set_read_timeout(Some(REPLY_TIME))?;
    stream.set_write_timeout(Some(REPLY_TIME))?;
    let mut line = output::json(request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    stream.shutdown(Shutdown::Write)?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply)?;
    Ok(Some(serde_json::from_slice(&reply)?))
}

/// Makes the error for a reply of another kind, as from another version of the gateway.
pub(super) fn unexpected(reply: &ControlReply) -> ControlError {
    ControlError::Failed(format!("the running gateway replied something else: {reply:?}"))
}
