//! Copies a dropped dylib to a private folder while hashing it, and names the copy by its hash.
//!
//! Invariant: only staged copies are ever mapped, because the files in the plugins folder may be overwritten. A
//! staged file's contents match its name, and came from the descriptor that was checked.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use portolan_base::files::{self, FileError, FolderError, TrustedOwners};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::files::scan::FileFingerprint;

/// A dylib with full debug information has some tens of MiB.
const DYLIB_BYTES_MAX: u64 = 256 << 20;
const CHUNK_BYTES: usize = 64 << 10;

/// The SHA-256 of a dylib, which identifies it. Its text form is hex.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

/// The text is not 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 in hex")]
pub struct NoDigest;

impl TryFrom<String> for Digest {
    type Error = NoDigest;

    fn try_from(text: String) -> Result<Self, NoDigest> {
        alloy::hex::decode_to_array(text).map(Self).map_err(|_| NoDigest)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(any(test, feature = "testing"))]
impl Digest {
    /// A digest for tests, which `byte` tells apart.
    pub fn of_test(byte: u8) -> Self {
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

/// Reason why a dylib was not staged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// It is still being written; a later scan will find it complete.
    #[error("changed while it was copied")]
    Changed,
    #[error("{0} bytes are more than {DYLIB_BYTES_MAX}")]
    TooLarge(u64),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot copy it to the state folder: {0}")]
    Write(io::Error),
    #[error("the copy that was kept cannot be read: {0}")]
    Kept(io::Error),
    #[error("the copy that was kept is damaged")]
    Damaged,
}

/// Reason why the folder of staged copies cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StageFolderError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("cannot empty the folder {}: {error}", folder.display())]
    Empty { folder: PathBuf, error: io::Error },
}

/// The folder of staged copies.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    folder: PathBuf,
    writers: TrustedOwners,
}

impl Stage {
    /// Creates the folder, closed to other users because its files are executed. Removes copies of earlier processes
    /// except those of `kept`, which must pass [`Stage::check`] before they are used.
    pub(crate) fn open(
        state_dir: &Path,
        writers: TrustedOwners,
        kept: &BTreeSet<Digest>,
    ) -> Result<Self, StageFolderError> {
        let folder = state_dir.join("staged");
        files::make_folder(&folder, 0o700, writers)?;
        let kept: BTreeSet<String> =
            kept.iter().flat_map(|digest| [file_name(digest), signature_name(digest)]).collect();
        empty(&folder, &kept).map_err(|error| StageFolderError::Empty { folder: folder.clone(), error })?;
        Ok(Self { folder, writers })
    }

    /// The path of a digest's copy.
    pub(crate) fn path(&self, digest: Digest) -> PathBuf {
        self.folder.join(file_name(&digest))
    }

    /// Copies `source`, which must have this `fingerprint` before and afterwards.
    pub(crate) fn take(&self, source: &Path, fingerprint: &FileFingerprint) -> Result<Digest, StageError> {
        if fingerprint.bytes > DYLIB_BYTES_MAX {
            return Err(StageError::TooLarge(fingerprint.bytes));
        }
        let incoming = Incoming::new(&self.folder);
        let (mut from, opened) = files::open(source, self.writers)?;
        let unchanged =
            |metadata: io::Result<fs::Metadata>| metadata.is_ok_and(|now| FileFingerprint::of(&now) == *fingerprint);
        if !unchanged(Ok(opened)) {
            return Err(StageError::Changed);
        }
        let created = File::create_new(&incoming.path).map_err(StageError::Write);
        let (digest, is_copied) = match created.and_then(|mut to| copy(&mut from, &mut to)) {
            // A full disk does not matter if the copy exists already.
            Err(StageError::Write(error)) => (self.copied(source).ok_or(StageError::Write(error))?, false),
            copied => (copied?, true),
        };
        if !unchanged(from.metadata()) || !unchanged(fs::symlink_metadata(source)) {
            return Err(StageError::Changed);
        }
        if is_copied {
            fs::rename(&incoming.path, self.path(digest)).map_err(StageError::Write)?;
        }
        Ok(digest)
    }

    /// Checks that the copy of a build, perhaps from an earlier process, is intact.
    pub(crate) fn check(&self, digest: Digest) -> Result<(), StageError> {
        match hash(&self.path(digest), self.writers) {
            Ok(found) if found == digest => Ok(()),
            Ok(_) => Err(StageError::Damaged),
            Err(StageError::File(FileError::Read(error))) => Err(StageError::Kept(error)),
            Err(error) => Err(error),
        }
    }

    /// The digest of a file, if there is an intact copy of it.
    fn copied(&self, source: &Path) -> Option<Digest> {
        let digest = hash(source, self.writers).ok()?;
        self.check(digest).is_ok().then_some(digest)
    }

    /// The path of the signature files stored with a digest's copy.
    pub(crate) fn signature_path(&self, digest: Digest) -> PathBuf {
        self.folder.join(signature_name(&digest))
    }

    /// The users whose files are trusted.
    pub(crate) fn writers(&self) -> TrustedOwners {
        self.writers
    }

    /// Removes copies; a loaded library stays mapped without its file.
    pub(crate) fn remove(&self, digests: &[Digest]) -> io::Result<()> {
        let missing_is_fine = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        };
        let mut paths = digests.iter().flat_map(|digest| [file_name(digest), signature_name(digest)]);
        paths.try_for_each(|name| fs::remove_file(self.folder.join(name)).or_else(missing_is_fine))
    }
}

fn file_name(digest: &Digest) -> String {
    format!("{digest}.so")
}

fn signature_name(digest: &Digest) -> String {
    format!("{digest}.signed")
}

fn empty(folder: &Path, kept: &BTreeSet<String>) -> io::Result<()> {
    let is_kept = |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(|name| kept.contains(name));
    fs::read_dir(folder)?.try_for_each(|entry| {
        let entry = entry?;
        if is_kept(&entry) { Ok(()) } else { fs::remove_file(entry.path()) }
    })
}

/// The digest of a file.
fn hash(path: &Path, writers: TrustedOwners) -> Result<Digest, StageError> {
    copy(&mut files::open(path, writers)?.0, &mut io::sink())
}

fn copy(from: &mut File, to: &mut dyn Write) -> Result<Digest, StageError> {
    let mut from = from.take(DYLIB_BYTES_MAX + 1);
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(FileError::Read(error).into()),
        };
        hash.update(&chunk[..read]);
        to.write_all(&chunk[..read]).map_err(StageError::Write)?;
    }
    if from.limit() == 0 {
        return Err(StageError::TooLarge(DYLIB_BYTES_MAX + 1));
    }
    Ok(Digest(hash.finalize().into()))
}

/// A copy in progress; its file is removed on drop.
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
        // After the rename there is no file under this name.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-2, appendix B.1.
    const SHA256_OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn opened(folder: &Path) -> Stage {
        Stage::open(folder, TrustedOwners::of_process(None), &BTreeSet::new()).unwrap()
    }

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
        let stage = opened(folder.path());
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
        let stage = opened(folder.path());
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
        let stage = opened(folder.path());
        let source = folder.path().join("a.so");
        File::create(&source).unwrap().set_len(DYLIB_BYTES_MAX + 1).unwrap();
        assert!(matches!(stage.take(&source, &fingerprint(&source)), Err(StageError::TooLarge(_))));
    }

    #[test]
    fn a_removed_copy_is_gone_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let stage = opened(folder.path());
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
    fn a_copy_that_is_kept_is_checked_before_it_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.so");
        fs::write(&source, "abc").unwrap();
        let digest = opened(folder.path()).take(&source, &fingerprint(&source)).unwrap();
        let again = Stage::open(folder.path(), TrustedOwners::of_process(None), &[digest].into()).unwrap();
        assert!(again.check(digest).is_ok());
        fs::write(again.path(digest), "abd").unwrap();
        assert!(matches!(again.check(digest), Err(StageError::Damaged)));
        fs::remove_file(again.path(digest)).unwrap();
        assert!(matches!(again.check(digest), Err(StageError::Kept(_))));
    }

    #[test]
    fn what_is_copied_already_needs_no_room() {
        let folder = tempfile::tempdir().unwrap();
        let stage = opened(folder.path());
        let source = folder.path().join("a.so");
        fs::write(&source, "abc").unwrap();
        let digest = stage.take(&source, &fingerprint(&source)).unwrap();
        assert_eq!(stage.copied(&source), Some(digest));
        fs::write(&source, "abd").unwrap();
        assert_eq!(stage.copied(&source), None);
    }

    #[test]
    fn what_an_earlier_process_left_is_removed_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let stage = opened(folder.path());
        fs::write(stage.folder.join("1-2.incoming"), "left by a crash").unwrap();
        assert!(names(&opened(folder.path())).is_empty());
    }

    #[test]
    fn a_folder_of_copies_that_is_a_link_is_refused_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("precious"), "1").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("staged")).unwrap();
        let refused = Stage::open(folder.path(), TrustedOwners::of_process(None), &BTreeSet::new());
        assert!(matches!(refused, Err(StageFolderError::Folder(_))), "{refused:?}");
        assert!(elsewhere.path().join("precious").exists());
    }

    #[test]
    fn a_link_and_a_file_that_anybody_may_write_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let stage = opened(folder.path());
        let (source, link) = (folder.path().join("a.so"), folder.path().join("b.so"));
        fs::write(&source, "abc").unwrap();
        std::os::unix::fs::symlink(&source, &link).unwrap();
        let of_link = FileFingerprint::of(&fs::symlink_metadata(&link).unwrap());
        let refused = stage.take(&link, &of_link);
        assert!(matches!(refused, Err(StageError::File(FileError::Kind("a symbolic link")))), "{refused:?}");
        fs::set_permissions(&source, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
        let refused = stage.take(&source, &fingerprint(&source));
        assert!(matches!(refused, Err(StageError::File(FileError::Untrusted(_)))), "{refused:?}");
        assert!(names(&stage).is_empty());
    }
}
