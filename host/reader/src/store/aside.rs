//! Where a damaged file goes: beside its place, for a person to look at.
//!
//! Invariant: at most [`ASIDE_MAX`] lie there, the newest.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// More would only fill the disk of one whose disk is failing.
const ASIDE_MAX: usize = 3;
const MARK: &str = ".broken-";

/// Moves the file to `<name>.broken-<unix seconds>` and drops the oldest ones; tells where it is now.
pub(super) fn move_aside(path: &Path, now_s: u64) -> io::Result<PathBuf> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!("{MARK}{now_s}"));
    let aside = PathBuf::from(aside);
    fs::rename(path, &aside)?;
    let mut all = all_aside(path)?;
    all.sort_unstable();
    let too_many = all.len().saturating_sub(ASIDE_MAX);
    for (_, oldest) in all.drain(..too_many) {
        fs::remove_file(oldest)?;
    }
    Ok(aside)
}

/// Each with the second that it was moved at.
fn all_aside(path: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
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

fn moved_s(name: &OsStr, aside: &OsString) -> Option<u64> {
    aside.to_str()?.strip_prefix(name.to_str()?)?.strip_prefix(MARK)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_three_stay_and_other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reads.redb");
        for other in ["reads.redb.broken-old", "other.broken-1", "reads.redb-broken-1"] {
            fs::write(folder.path().join(other), "other").unwrap();
        }
        for now_s in [9, 10, 100, 11] {
            fs::write(&path, now_s.to_string()).unwrap();
            let aside = move_aside(&path, now_s).unwrap();
            assert_eq!(aside, folder.path().join(format!("reads.redb.broken-{now_s}")));
            assert_eq!(fs::read_to_string(aside).unwrap(), now_s.to_string());
        }
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        let aside = ["reads.redb.broken-10", "reads.redb.broken-100", "reads.redb.broken-11"];
        let others = ["other.broken-1", "reads.redb-broken-1"];
        assert_eq!(names, [&others[..], &aside, &["reads.redb.broken-old"]].concat());
    }
}
