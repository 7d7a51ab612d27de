//! Copies a dropped dylib to a private folder while hashing it, under the name of its hash.
//!
//! Invariant: nothing but a staged copy is ever mapped, because whoever drops files may write over them; a staged
//! file's contents are those of its name.

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use super::scan::FileFingerprint;

/// A dylib with all its debug information has some tens of MiB.
const DYLIB_BYTES_MAX: u64 = 256 << 20;
const CHUNK_BYTES: usize = 64 << 10;

/// The SHA-256 of a dylib: its identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Digest([u8; 32]);

#[cfg(test)]
impl Digest {
    /// A digest that tests can tell from others.
    pub(crate) fn of_test(byte: u8) -> Self {
        Self([byte; 32])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a dylib was not staged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// It is being written; a later scan will find it complete.
    #[error("changed while it was copied")]
    Changed,
    #[error("{0} bytes are more than {DYLIB_BYTES_MAX}")]
    TooLarge(u64),
    #[error("cannot read it: {0}")]
    Read(io::Error),
    #[error("cannot copy it to the state folder: {0}")]
    Write(io::Error),
}

/// The folder of staged copies.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    folder: PathBuf,
}

impl Stage {
    /// Makes the folder, closed to other users: what is in it is run. Removes what an earlier process left
    /// there: every file is copied anew, since nothing else proves that a copy is whole.
    pub(crate) fn open(state_dir: &Path) -> io::Result<Self> {
        let folder = state_dir.join("staged");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        for entry in fs::read_dir(&folder)? {
            fs::remove_file(entry?.path())?;
        }
        Ok(Self { folder })
    }

    /// The path of a digest's copy.
    pub(crate) fn path(&self, digest: Digest) -> PathBuf {
        self.folder.join(format!("{digest}.so"))
    }

    /// Copies `source`, which had `fingerprint` before and must have it afterwards.
    pub(crate) fn take(&self, source: &Path, fingerprint: &FileFingerprint) -> Result<Digest, StageError> {
        if fingerprint.bytes > DYLIB_BYTES_MAX {
            return Err(StageError::TooLarge(fingerprint.bytes));
        }
        let incoming = Incoming::new(&self.folder);
        let mut from = File::open(source).map_err(StageError::Read)?;
        let digest = copy(&mut from, &incoming.path)?;
        let unchanged =
            |metadata: io::Result<fs::Metadata>| metadata.is_ok_and(|now| FileFingerprint::of(&now) == *fingerprint);
        if !unchanged(from.metadata()) || !unchanged(fs::metadata(source)) {
            return Err(StageError::Changed);
        }
        fs::rename(&incoming.path, self.path(digest)).map_err(StageError::Write)?;
        Ok(digest)
    }

    /// Removes copies: what is loaded stays mapped without its name.
    pub(crate) fn remove(&self, digests: &[Digest]) -> io::Result<()> {
        let missing_is_fine = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        };
        digests.iter().try_for_each(|digest| fs::remove_file(self.path(*digest)).or_else(missing_is_fine))
    }
}

fn copy(from: &mut File, to: &Path) -> Result<Digest, StageError> {
    let mut to = File::create_new(to).map_err(StageError::Write)?;
    let mut from = from.take(DYLIB_BYTES_MAX + 1);
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(StageError::Read(error)),
        };
        hash.update(&chunk[..read]);
        to.write_all(&chunk[..read]).map_err(StageError::Write)?;
    }
    if from.limit() == 0 {
        return Err(StageError::TooLarge(DYLIB_BYTES_MAX + 1));
    }
    Ok(Digest(hash.finalize().into()))
}

/// A copy under way; its name goes away with it.
struct Incoming {
    path: PathBuf,
}

impl Incoming {
    fn new(folder: &Path) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self { path: folder.join(format!("{}-{count}.incoming", std::process::id())) }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // After the rename there is nothing left under this name.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-2, appendix B.1.
    const SHA256_OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn names(stage: &Stage) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(&stage.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn fingerprint(path: &Path) -> FileFingerprint {
        FileFingerprint::of(&fs::metadata(path).unwrap())
    }

    #[test]
    fn a_copy_is_named_by_the_hash_of_its_contents() {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::open(folder.path()).unwrap();
        let source = folder.path().join("a.so");
        fs::write(&source, "abc").unwrap();
        let digest = stage.take(&source, &fingerprint(&source)).unwrap();
        assert_eq!(digest.to_string(), SHA256_OF_ABC);
        assert_eq!(names(&stage), [format!("{SHA256_OF_ABC}.so")]);
        assert_eq!(fs::read(stage.path(digest)).unwrap(), b"abc");
    }

    #[test]
    fn a_file_that_changed_since_the_look_is_not_taken_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::open(folder.path()).unwrap();
        let source = folder.path().join("a.so");
        fs::write(&source, "abc").unwrap();
        let before = fingerprint(&source);
        fs::write(&source, "abcd").unwrap();
        assert!(matches!(stage.take(&source, &before), Err(StageError::Changed)));
        assert!(names(&stage).is_empty());
    }

    #[test]
    fn a_file_above_the_bound_is_not_even_opened() {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::open(folder.path()).unwrap();
        let source = folder.path().join("a.so");
        File::create(&source).unwrap().set_len(DYLIB_BYTES_MAX + 1).unwrap();
        assert!(matches!(stage.take(&source, &fingerprint(&source)), Err(StageError::TooLarge(_))));
    }

    #[test]
    fn a_removed_copy_is_gone_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::open(folder.path()).unwrap();
        let source = folder.path().join("a.so");
        let take = |text: &str| {
            fs::write(&source, text).unwrap();
            stage.take(&source, &fingerprint(&source)).unwrap()
        };
        let (kept, removed) = (take("abc"), take("other"));
        stage.remove(&[removed, removed]).unwrap();
        assert_eq!(names(&stage), [format!("{kept}.so")]);
    }

    #[test]
    fn what_an_earlier_process_left_is_removed_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::open(folder.path()).unwrap();
        fs::write(stage.folder.join("1-2.incoming"), "left by a crash").unwrap();
        assert!(names(&Stage::open(folder.path()).unwrap()).is_empty());
    }
}
