//! Looks at the plugins folder: which dylibs and settings files stand there, and which of them have settled.
//!
//! Invariant: a file is taken, and a missing one is gone, only if two looks in a row agree; a look reads no
//! contents. Symbolic links are followed, so that a swap of their target is a change.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files of one folder that are looked at; a folder with more holds something else than plugins.
const FILES_MAX: usize = 1_024;

/// What tells a file's contents from other contents without reading them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    pub(crate) bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
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
impl Stamp {
    /// A stamp that tests tell from others.
    pub(crate) fn of_test(bytes: u64) -> Self {
        Self { device: 1, inode: 2, bytes, modified: (3, 0), changed: (3, 0) }
    }
}

/// Tells a folder from another one of the same path: an inode number alone is given anew at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FolderIdentity {
    device: u64,
    inode: u64,
    /// `None` where the file system does not keep it.
    created: Option<SystemTime>,
}

impl FolderIdentity {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino(), created: metadata.created().ok() }
    }
}

/// One look at a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) folder: FolderIdentity,
    /// Dylibs and settings files, by path.
    pub(crate) files: BTreeMap<PathBuf, Stamp>,
}

/// Looks at a folder, once.
pub(crate) fn look(folder: &Path) -> io::Result<Look> {
    let metadata = fs::metadata(folder)?;
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !is_ours(&path) {
            continue;
        }
        // A link without a target, or a file that has just gone, is not there.
        let Ok(target) = fs::metadata(&path) else { continue };
        if !target.is_file() {
            continue;
        }
        files.insert(path, Stamp::of(&target));
        if files.len() > FILES_MAX {
            return Err(io::Error::other(format!("more than {FILES_MAX} plugins and settings files")));
        }
    }
    Ok(Look { folder: FolderIdentity::of(&metadata), files })
}

/// Hidden files are other programs' temporary ones.
fn is_ours(path: &Path) -> bool {
    let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && (is_dylib(path) || is_settings(path))
}

pub(crate) fn is_dylib(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "so")
}

fn is_settings(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Remembers the look before.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    last: BTreeMap<PathBuf, Stamp>,
    count: u64,
}

/// What two looks agree on. A path that is not in here is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    /// `None`: there, or just gone, and still changing.
    pub(crate) files: BTreeMap<PathBuf, Option<Stamp>>,
}

impl Settled {
    pub(crate) fn is_changing(&self) -> bool {
        self.files.values().any(Option::is_none)
    }
}

impl Looks {
    /// Compares a look with the one before it.
    pub(crate) fn settle(&mut self, now: BTreeMap<PathBuf, Stamp>) -> Settled {
        let before = std::mem::replace(&mut self.last, now);
        self.count += 1;
        let vanished = before.keys().filter(|path| !self.last.contains_key(*path)).map(|path| (path.clone(), None));
        let present = self.last.iter().map(|(path, stamp)| {
            let stable = before.get(path) == Some(stamp);
            (path.clone(), stable.then_some(*stamp))
        });
        Settled { files: vanished.chain(present).collect() }
    }

    /// Whether there were two looks to compare.
    pub(crate) fn have_compared(&self) -> bool {
        self.count >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, u64)]) -> BTreeMap<PathBuf, Stamp> {
        entries.iter().map(|(path, bytes)| (PathBuf::from(path), Stamp::of_test(*bytes))).collect()
    }

    fn told(settled: &Settled) -> Vec<(&str, Option<u64>)> {
        let files = settled.files.iter();
        files.map(|(path, stamp)| (path.to_str().unwrap(), stamp.map(|stamp| stamp.bytes))).collect()
    }

    #[test]
    fn a_file_is_taken_when_two_looks_agree() {
        let mut looks = Looks::default();
        assert_eq!(told(&looks.settle(files(&[("a.so", 1)]))), [("a.so", None)]);
        assert!(!looks.have_compared());
        assert_eq!(told(&looks.settle(files(&[("a.so", 1)]))), [("a.so", Some(1))]);
        assert!(looks.have_compared());
    }

    #[test]
    fn a_file_that_still_grows_is_not_taken() {
        let mut looks = Looks::default();
        looks.settle(files(&[("a.so", 1), ("b.so", 1)]));
        let settled = looks.settle(files(&[("a.so", 2), ("b.so", 1)]));
        assert_eq!(told(&settled), [("a.so", None), ("b.so", Some(1))]);
        assert!(settled.is_changing());
        assert_eq!(told(&looks.settle(files(&[("a.so", 2), ("b.so", 1)]))), [("a.so", Some(2)), ("b.so", Some(1))]);
    }

    #[test]
    fn a_file_that_blinks_is_not_gone() {
        let mut looks = Looks::default();
        looks.settle(files(&[("a.so", 1)]));
        looks.settle(files(&[("a.so", 1)]));
        assert_eq!(told(&looks.settle(files(&[]))), [("a.so", None)]);
        assert_eq!(told(&looks.settle(files(&[("a.so", 1)]))), [("a.so", None)]);
        assert_eq!(told(&looks.settle(files(&[("a.so", 1)]))), [("a.so", Some(1))]);
    }

    #[test]
    fn a_file_that_two_looks_miss_is_gone() {
        let mut looks = Looks::default();
        looks.settle(files(&[("a.so", 1)]));
        looks.settle(files(&[]));
        assert_eq!(told(&looks.settle(files(&[]))), []);
    }

    #[test]
    fn a_look_follows_links_and_skips_what_is_no_plugin() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("..2024")).unwrap();
        fs::create_dir(folder.path().join("folder.so")).unwrap();
        write("..2024/linked.so", "12345");
        write("plain.so", "1");
        write("plain.toml", "12");
        write(".hidden.so", "1");
        write("README.md", "1");
        std::os::unix::fs::symlink("..2024/linked.so", folder.path().join("linked.so")).unwrap();
        std::os::unix::fs::symlink("nowhere.so", folder.path().join("broken.so")).unwrap();
        let look = look(folder.path()).unwrap();
        let seen: Vec<_> =
            look.files.iter().map(|(path, stamp)| (path.file_name().unwrap().to_str().unwrap(), stamp.bytes)).collect();
        assert_eq!(seen, [("linked.so", 5), ("plain.so", 1), ("plain.toml", 2)]);
    }

    #[test]
    fn a_missing_folder_is_an_error_and_not_an_empty_look() {
        let folder = tempfile::tempdir().unwrap();
        let missing = look(&folder.path().join("nowhere"));
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
