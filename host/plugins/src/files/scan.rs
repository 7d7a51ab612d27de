//! Scans of the plugins folder: finds dylibs, settings files and signatures, and which of them have stopped changing.
//!
//! Invariant: a file is loaded, and a missing one is gone, only if two consecutive scans agree. A scan reads no
//! contents, and follows only symbolic links of settings files, whose targets are fingerprinted. It also finds files
//! that are not regular, so that they are refused by name.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use portolan_base::files::{self, FolderError, TrustedOwners};

/// Maximum number of files in a folder; a folder with more holds something other than plugins.
const FILES_MAX: usize = 1_024;

/// Identifies a file's contents without reading them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileFingerprint {
    device: u64,
    inode: u64,
    pub(crate) bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileFingerprint {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

#[cfg(test)]
impl FileFingerprint {
    /// A fingerprint for tests, which `bytes` tells apart.
    pub(crate) fn of_test(bytes: u64) -> Self {
        Self { device: 1, inode: 2, bytes, modified: (3, 0), changed: (3, 0) }
    }
}

/// Tells a folder from another one at the same path; inode numbers alone are reused at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FolderIdentity {
    device: u64,
    inode: u64,
    /// `None` if the file system does not store it.
    created: Option<SystemTime>,
}

impl FolderIdentity {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino(), created: metadata.created().ok() }
    }
}

/// The files of a folder at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FolderScan {
    pub(crate) folder: FolderIdentity,
    /// Dylibs, settings files, manifests and signatures, by path.
    pub(crate) files: BTreeMap<PathBuf, FileFingerprint>,
}

/// Reason why a folder was not scanned.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScanError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("cannot read it: {0}")]
    Read(#[from] io::Error),
    #[error("more than {FILES_MAX} plugins, settings files and signatures")]
    TooMany,
    #[error("scanning it panicked")]
    Panicked,
}

impl ScanError {
    /// Returns true if the folder does not exist.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Self::Folder(error) => error.is_missing(),
            Self::Read(error) => error.kind() == io::ErrorKind::NotFound,
            Self::TooMany | Self::Panicked => false,
        }
    }
}

/// Scans a folder once, if only trusted users may write to it.
pub(crate) fn scan(folder: &Path, writers: TrustedOwners) -> Result<FolderScan, ScanError> {
    let metadata = files::check_folder(folder, writers)?;
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if !is_ours(&path) {
            continue;
        }
        // A file that has just been removed is skipped.
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            continue;
        }
        let followed = (metadata.is_symlink() && is_settings(&path)).then(|| fs::metadata(&path).ok()).flatten();
        files.insert(path, FileFingerprint::of(&followed.unwrap_or(metadata)));
        if files.len() > FILES_MAX {
            return Err(ScanError::TooMany);
        }
    }
    Ok(FolderScan { folder: FolderIdentity::of(&metadata), files })
}

/// Returns true for plugins' files. Hidden files are temporary ones of other programs.
fn is_ours(path: &Path) -> bool {
    let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && (is_dylib(path) || is_settings(path) || is_signature_file(path))
}

pub(crate) fn is_dylib(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "so")
}

pub(crate) fn is_settings(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Returns true for a signed manifest or a signature.
fn is_signature_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "manifest" || extension == "minisig")
}

/// The paths of a dylib's manifest and signature.
pub fn signature_files(dylib: &Path) -> [PathBuf; 2] {
    ["manifest", "manifest.minisig"].map(|extension| dylib.with_extension(extension))
}

/// Fingerprints of a dylib's manifest and signature; `None` for a missing file.
pub(crate) type SignatureFingerprints = [Option<FileFingerprint>; 2];

/// Remembers the previous scan.
#[derive(Debug, Default)]
pub(crate) struct ScanHistory {
    last: BTreeMap<PathBuf, FileFingerprint>,
    count: u64,
}

/// The files on which two scans agree. Paths that are not in here are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StableFiles {
    /// `None` if a file, or its absence, is new since the previous scan.
    pub(crate) files: BTreeMap<PathBuf, Option<FileFingerprint>>,
}

impl StableFiles {
    /// The fingerprints of a dylib's manifest and signature; `None` while one of them changes.
    pub(crate) fn beside(&self, dylib: &Path) -> Option<SignatureFingerprints> {
        let [manifest, signature] = signature_files(dylib).map(|path| self.files.get(&path).copied());
        let is_changing = [manifest, signature].contains(&Some(None));
        (!is_changing).then(|| [manifest.flatten(), signature.flatten()])
    }

    pub(crate) fn is_changing(&self) -> bool {
        self.files.values().any(Option::is_none)
    }
}

impl ScanHistory {
    /// Compares a scan with the previous one.
    pub(crate) fn compare(&mut self, now: BTreeMap<PathBuf, FileFingerprint>) -> StableFiles {
        let before = std::mem::replace(&mut self.last, now);
        self.count += 1;
        let vanished = before.keys().filter(|path| !self.last.contains_key(*path)).map(|path| (path.clone(), None));
        let present = self.last.iter().map(|(path, fingerprint)| {
            let stable = before.get(path) == Some(fingerprint);
            (path.clone(), stable.then_some(*fingerprint))
        });
        StableFiles { files: vanished.chain(present).collect() }
    }

    /// Returns true once two scans have been compared.
    pub(crate) fn has_compared(&self) -> bool {
        self.count >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, u64)]) -> BTreeMap<PathBuf, FileFingerprint> {
        entries.iter().map(|(path, bytes)| (PathBuf::from(path), FileFingerprint::of_test(*bytes))).collect()
    }

    fn sizes(stable: &StableFiles) -> Vec<(&str, Option<u64>)> {
        let files = stable.files.iter();
        files
            .map(|(path, fingerprint)| (path.to_str().unwrap(), fingerprint.map(|fingerprint| fingerprint.bytes)))
            .collect()
    }

    #[test]
    fn a_file_is_taken_when_two_scans_agree() {
        let mut history = ScanHistory::default();
        assert_eq!(sizes(&history.compare(files(&[("a.so", 1)]))), [("a.so", None)]);
        assert!(!history.has_compared());
        assert_eq!(sizes(&history.compare(files(&[("a.so", 1)]))), [("a.so", Some(1))]);
        assert!(history.has_compared());
    }

    #[test]
    fn a_file_that_still_grows_is_not_taken() {
        let mut history = ScanHistory::default();
        history.compare(files(&[("a.so", 1), ("b.so", 1)]));
        let stable = history.compare(files(&[("a.so", 2), ("b.so", 1)]));
        assert_eq!(sizes(&stable), [("a.so", None), ("b.so", Some(1))]);
        assert!(stable.is_changing());
        assert_eq!(sizes(&history.compare(files(&[("a.so", 2), ("b.so", 1)]))), [("a.so", Some(2)), ("b.so", Some(1))]);
    }

    #[test]
    fn a_file_that_blinks_is_not_gone() {
        let mut history = ScanHistory::default();
        history.compare(files(&[("a.so", 1)]));
        history.compare(files(&[("a.so", 1)]));
        assert_eq!(sizes(&history.compare(files(&[]))), [("a.so", None)]);
        assert_eq!(sizes(&history.compare(files(&[("a.so", 1)]))), [("a.so", None)]);
        assert_eq!(sizes(&history.compare(files(&[("a.so", 1)]))), [("a.so", Some(1))]);
    }

    #[test]
    fn a_file_that_two_scans_miss_is_gone() {
        let mut history = ScanHistory::default();
        history.compare(files(&[("a.so", 1)]));
        history.compare(files(&[]));
        assert_eq!(sizes(&history.compare(files(&[]))), []);
    }

    #[test]
    fn a_scan_follows_no_link_and_skips_what_is_no_plugin() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("folder.so")).unwrap();
        write("plain.so", "1");
        write("plain.toml", "12");
        write(".hidden.so", "1");
        write("README.md", "12345");
        std::os::unix::fs::symlink("README.md", folder.path().join("linked.so")).unwrap();
        let scanned = scan(folder.path(), TrustedOwners::of_process(None)).unwrap();
        let seen: Vec<_> = scanned
            .files
            .iter()
            .map(|(path, fingerprint)| (path.file_name().unwrap().to_str().unwrap(), fingerprint.bytes))
            .collect();
        let link = u64::try_from("README.md".len()).unwrap();
        assert_eq!(seen, [("linked.so", link), ("plain.so", 1), ("plain.toml", 2)]);
    }

    #[test]
    fn a_settings_file_that_is_a_link_is_another_when_its_target_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, at(name)).unwrap();
        for (version, text) in [("..1", "1"), ("..2", "12")] {
            fs::create_dir(at(version)).unwrap();
            fs::write(at(version).join("a.toml"), text).unwrap();
        }
        link("..data/a.toml", "a.toml");
        link("..1", "..data");
        let scanned = || {
            let scanned = scan(folder.path(), TrustedOwners::of_process(None)).unwrap();
            scanned.files.values().map(|fingerprint| fingerprint.bytes).collect::<Vec<_>>()
        };
        assert_eq!(scanned(), [1]);
        link("..2", "..new");
        fs::rename(at("..new"), at("..data")).unwrap();
        assert_eq!(scanned(), [2]);
        fs::remove_dir_all(at("..2")).unwrap();
        assert_eq!(scanned(), ["..data/a.toml".len() as u64], "a link to nothing is found by itself");
    }

    #[test]
    fn a_missing_folder_is_an_error_and_not_an_empty_scan() {
        let folder = tempfile::tempdir().unwrap();
        let missing = scan(&folder.path().join("nowhere"), TrustedOwners::of_process(None));
        assert!(missing.unwrap_err().is_missing());
    }
}
