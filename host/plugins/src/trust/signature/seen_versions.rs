//! The newest version of each plugin that was in force, by the key that signed it. It outlives the process, so that an
//! old build with known faults cannot return.
//!
//! Invariant: a version is never replaced by a lower one, and one key's versions say nothing about another's: a
//! signer who has left could otherwise shut out the next one with a version that nobody reaches. The file is replaced as a whole, and a start that cannot
//! read it fails, because it would accept any version.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use portolan_base::files::{self, TrustedOwners};
use semver::Version;

const FILE: &str = "plugin-versions.json";
/// As many as a plugins folder may hold.
const ROWS_MAX: usize = 1_024;
/// Enough for the longest name, key and version of each row.
const FILE_BYTES_MAX: u64 = 512 << 10;

/// Reason why a version is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum VersionError {
    #[error("its version {0} is not a semantic version, so it cannot be compared with the versions served before")]
    NotSemantic(String),
    #[error("its version {version} is older than {seen}, which was served: pin the build to load it anyway")]
    Downgrade { version: String, seen: Version },
    #[error("{FILE} has {ROWS_MAX} versions and no room for another: remove rows of it")]
    Full,
}

/// Reason why a version does not outlive the process.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoteError {
    #[error(transparent)]
    Version(#[from] VersionError),
    #[error("cannot write {FILE}: {0}")]
    Write(#[from] io::Error),
}

/// The newest versions by plugin, then by the name of the key.
type Newest = BTreeMap<String, BTreeMap<String, Version>>;

/// The versions that were in force.
#[derive(Debug, Default)]
pub(crate) struct SeenVersions {
    /// `None` if the versions are not stored.
    path: Option<PathBuf>,
    versions: Mutex<Versions>,
}

#[derive(Debug, Default)]
struct Versions {
    newest: Newest,
    /// True if the file lacks some of them.
    is_unwritten: bool,
}

impl SeenVersions {
    /// Reads the versions that earlier processes served.
    ///
    /// # Errors
    /// The file cannot be read or parsed.
    pub(crate) fn open(state_dir: &Path, writers: TrustedOwners) -> io::Result<Self> {
        let path = state_dir.join(FILE);
        let named = |reason: String| io::Error::other(format!("{}: {reason}", path.display()));
        let newest = match files::read_state(&path, FILE_BYTES_MAX, writers)? {
            Some(text) => serde_json::from_str(&text).map_err(|error| named(error.to_string()))?,
            None => BTreeMap::new(),
        };
        let versions = Mutex::new(Versions { newest, is_unwritten: false });
        Ok(Self { path: Some(path), versions })
    }

    /// Checks that a version signed by `key` is not a downgrade.
    ///
    /// # Errors
    /// It is one, it is not a semantic version, or there is no room for another row.
    pub(crate) fn check(&self, plugin: &str, key: &str, version: &str) -> Result<(), VersionError> {
        let parsed = parsed(version)?;
        let versions = self.versions.lock();
        match versions.seen(plugin, key) {
            Some(seen) if parsed.cmp_precedence(seen).is_lt() => {
                Err(VersionError::Downgrade { version: version.to_owned(), seen: seen.clone() })
            }
            None if versions.newest.values().map(BTreeMap::len).sum::<usize>() >= ROWS_MAX => Err(VersionError::Full),
            _ => Ok(()),
        }
    }

    /// Records that a version signed by `key` came into force. Blocks while it writes a file.
    ///
    /// # Errors
    /// The version is not semantic, or it counts for this process but cannot be written.
    pub(crate) fn note(&self, plugin: &str, key: &str, version: &str) -> Result<(), NoteError> {
        let version = parsed(version)?;
        let mut versions = self.versions.lock();
        if versions.seen(plugin, key).is_none_or(|seen| version.cmp_precedence(seen).is_gt()) {
            versions.newest.entry(plugin.to_owned()).or_default().insert(key.to_owned(), version);
            versions.is_unwritten = true;
        }
        let Some(path) = self.path.as_ref().filter(|_| versions.is_unwritten) else { return Ok(()) };
        files::replace(path, &serde_json::to_vec_pretty(&versions.newest).map_err(io::Error::from)?)?;
        versions.is_unwritten = false;
        Ok(())
    }
}

impl Versions {
    fn seen(&self, plugin: &str, key: &str) -> Option<&Version> {
        self.newest.get(plugin)?.get(key)
    }
}

fn parsed(version: &str) -> Result<Version, VersionError> {
    Version::parse(version).map_err(|_| VersionError::NotSemantic(version.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn open(folder: &Path) -> io::Result<SeenVersions> {
        SeenVersions::open(folder, TrustedOwners::of_process(None))
    }

    #[test]
    fn no_version_below_one_that_was_served_is_taken_after_a_restart_either() {
        let folder = tempfile::tempdir().unwrap();
        let seen = open(folder.path()).unwrap();
        seen.check("acme", "own", "1.2.0").unwrap();
        seen.note("acme", "own", "1.2.0").unwrap();
        // A pinned older version does not lower the recorded one.
        seen.note("acme", "own", "1.1.0").unwrap();
        let again = open(folder.path()).unwrap();
        for taken in ["1.2.0", "1.2.0+rebuilt", "1.10.0", "2.0.0-rc.1"] {
            assert_eq!(again.check("acme", "own", taken), Ok(()), "{taken}");
        }
        for refused in ["1.1.9", "1.2.0-rc.1", "0.9.0"] {
            let downgrade = VersionError::Downgrade { version: refused.into(), seen: Version::new(1, 2, 0) };
            assert_eq!(again.check("acme", "own", refused), Err(downgrade));
        }
        assert_eq!(again.check("other", "own", "0.0.1"), Ok(()));
        assert_eq!(again.check("acme", "own", "v2"), Err(VersionError::NotSemantic("v2".into())));
    }

    #[test]
    fn a_version_of_another_key_shuts_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let seen = open(folder.path()).unwrap();
        seen.note("acme", "stranger", "99.0.0").unwrap();
        seen.note("acme", "own", "1.2.0").unwrap();
        let again = open(folder.path()).unwrap();
        assert_eq!(again.check("acme", "own", "1.2.1"), Ok(()));
        assert!(again.check("acme", "own", "1.1.0").is_err());
        assert!(again.check("acme", "stranger", "98.0.0").is_err());
    }

    #[test]
    fn the_file_is_bounded_and_what_is_in_it_is_not_forgotten_for_another_plugin() {
        let row = |number| (format!("p{number}"), BTreeMap::from([("own".to_owned(), Version::new(1, 0, 0))]));
        let versions = Mutex::new(Versions { newest: (0..ROWS_MAX).map(row).collect(), is_unwritten: false });
        let seen = SeenVersions { path: None, versions };
        assert_eq!(seen.check("acme", "own", "1.0.0"), Err(VersionError::Full));
        assert_eq!(seen.check("p1", "other", "1.0.0"), Err(VersionError::Full));
        assert!(matches!(seen.check("p1", "own", "0.9.0"), Err(VersionError::Downgrade { .. })));
    }

    #[test]
    fn a_start_does_not_go_on_without_what_was_served() {
        for damaged in ["{\"acme\":", "{\"acme\": \"1.0.0\"}", "{\"acme\": {\"own\": \"new\"}}", ""] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), damaged).unwrap();
            let refused = open(folder.path()).unwrap_err().to_string();
            assert!(refused.contains(FILE), "{refused}");
        }
    }

    #[test]
    fn what_could_not_be_written_is_written_with_the_next_build() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let seen = open(&state).unwrap();
        assert!(matches!(seen.note("acme", "own", "1.0.0"), Err(NoteError::Write(_))));
        fs::create_dir(&state).unwrap();
        seen.note("acme", "own", "1.0.0").unwrap();
        assert!(open(&state).unwrap().check("acme", "own", "0.9.0").is_err());
    }
}
