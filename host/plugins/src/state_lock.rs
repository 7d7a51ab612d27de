//! Restricts a state folder to one gateway, by a lock of the operating system that ends with the process in any case.
//!
//! Invariant: the file's content is only for people, and the lock alone decides, so that a leftover file blocks no
//! start. Operators' commands take no lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process;

use portolan_base::sanitize;
use rustix::fs::OFlags;

const FILE: &str = "lock";
/// Room for a process id and the longest host name.
const HOLDER_CHARS_MAX: usize = 100;

/// Reason why the state folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateLockError {
    #[error("{holder} uses the state folder {}: end it, or name another folder by --state", folder.display())]
    Held { folder: PathBuf, holder: String },
    #[error("the lock of the state folder {}: {error}", folder.display())]
    File { folder: PathBuf, error: io::Error },
}

/// The right to use a state folder; released on drop.
#[derive(Debug)]
pub(crate) struct StateLock {
    _file: File,
}

impl StateLock {
    /// Takes the lock. Logs a warning if the file system has no locks.
    ///
    /// # Errors
    /// Another gateway holds it, or its file cannot be opened.
    pub(crate) fn take(folder: &Path) -> Result<Self, StateLockError> {
        let failed = |error| StateLockError::File { folder: folder.to_owned(), error };
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
        let mut file = options.open(folder.join(FILE)).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StateLockError::Held { folder: folder.to_owned(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => {
                let folder = folder.display();
                tracing::warn!(%folder, %error, "nothing keeps a second gateway from using this state folder");
            }
        }
        // A full disk may leave no room for the name; the lock holds all the same.
        if let Err(error) = file.set_len(0).and_then(|()| file.write_all(own_name().as_bytes())) {
            tracing::warn!(folder = %folder.display(), %error, "the lock of the state folder does not name this process");
        }
        Ok(Self { _file: file })
    }
}

/// Includes the host's name, because containers have process ids of their own.
fn own_name() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{} {}", process::id(), host.trim())
}

/// The process that holds the lock; it may not have written its name yet.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(HOLDER_CHARS_MAX as u64).read_to_string(&mut text);
    match sanitize::plain(&text, HOLDER_CHARS_MAX).split_once(' ') {
        Some((id, host)) if read.is_ok() => format!("the gateway with process id {id} on {host}"),
        _ => "another gateway".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_gateway_learns_who_has_the_folder_until_that_one_ends() {
        let folder = tempfile::tempdir().unwrap();
        let lock = StateLock::take(folder.path()).unwrap();
        let refused = StateLock::take(folder.path()).map(drop).unwrap_err().to_string();
        let holder = format!("the gateway with process id {} on ", process::id());
        assert!(refused.starts_with(&holder) && refused.contains("name another folder by --state"), "{refused}");
        drop(lock);
        StateLock::take(folder.path()).unwrap();
    }

    #[test]
    fn what_a_dead_process_left_bars_nobody_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "4194304 a-host-of-a-longer-name").unwrap();
        drop(StateLock::take(folder.path()).unwrap());
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), own_name());
        fs::remove_file(folder.path().join(FILE)).unwrap();
        std::os::unix::fs::symlink("elsewhere", folder.path().join(FILE)).unwrap();
        assert!(matches!(StateLock::take(folder.path()), Err(StateLockError::File { .. })));
    }
}
