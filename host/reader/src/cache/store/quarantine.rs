//! The quarantine of damaged files: beside the original, for a person to examine.
//!
//! Invariant: it holds at most the newest [`FILES_MAX`].

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Maximum files; more would only fill a failing disk.
const FILES_MAX: usize = 3;
const MARK: &str = ".broken-";

/// Moves the file to `<name>.broken-<unix seconds>`, drops the oldest of these, and returns the new path.
pub(super) fn quarantine_corrupt(path: &Path, now_s: u64) -> io::Result<PathBuf> {
    let named = |second: u64| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("{MARK}{second}"));
        PathBuf::from(name)
    };
    // Files of the same second get different names.
    let free = (now_s..).map(named).find(|moved| !moved.exists());
    let moved = free.ok_or(io::ErrorKind::AlreadyExists)?;
    fs::rename(path, &moved)?;
    let mut all = quarantined(path)?;
    all.sort_unstable();
    let too_many = all.len().saturating_sub(FILES_MAX);
    for (_, oldest) in all.drain(..too_many) {
        fs::remove_file(oldest)?;
    }
    Ok(moved)
}

/// Lists the files in quarantine, each with the second at which it was moved.
fn quarantined(path: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if let Some(moved_s) = moved_s(name, &entry.file_name()) {
            all.push((moved_s, entry.path()));
        }
    }
    Ok(all)
}

fn moved_s(name: &OsStr, moved: &OsString) -> Option<u64> {
    moved.to_str()?.strip_prefix(name.to_str()?)?.strip_prefix(MARK)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_three_stay_and_other_files_are_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reads.redb");
        for other in ["reads.redb.broken-old", "other.broken-1", "reads.redb-broken-1"] {
            fs::write(folder.path().join(other), "other").unwrap();
        }
        for now_s in [9, 10, 100, 11] {
            fs::write(&path, now_s.to_string()).unwrap();
            let moved = quarantine_corrupt(&path, now_s).unwrap();
            assert_eq!(moved, folder.path().join(format!("reads.redb.broken-{now_s}")));
            assert_eq!(fs::read_to_string(moved).unwrap(), now_s.to_string());
        }
        fs::write(&path, "of the same second").unwrap();
        let moved = quarantine_corrupt(&path, 100).unwrap();
        assert_eq!(moved, folder.path().join("reads.redb.broken-101"));
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        let moved = ["reads.redb.broken-100", "reads.redb.broken-101", "reads.redb.broken-11"];
        let others = ["other.broken-1", "reads.redb-broken-1"];
        assert_eq!(names, [&others[..], &moved, &["reads.redb.broken-old"]].concat());
    }
}
