//! Cached copies of fetched lists, under `lists` in the state folder.
//!
//! Invariant: a copy is complete or missing, and is validated again when it is read. Its name is a digest of the URL,
//! because URLs may contain keys.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy::primitives::hex;
use bytes::Bytes;
use portolan_base::files::{self, TrustedOwners};
use portolan_reader::RpcUrl;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::schema::DOCUMENT_BYTES_MAX;

/// Maximum bytes of the first line; an entity tag has at most 256 bytes.
const HEAD_BYTES_MAX: usize = 1024;

/// The folder of cached copies.
#[derive(Clone, Debug)]
pub(super) struct ListCache {
    folder: PathBuf,
}

/// A list as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CachedList {
    pub(super) etag: Option<String>,
    pub(super) fetched_at: SystemTime,
    pub(super) document: Bytes,
}

/// The first line of a copy.
#[derive(Deserialize, Serialize)]
struct Head {
    etag: Option<String>,
    /// Unix seconds.
    fetched_at_s: u64,
}

impl ListCache {
    /// Creates the folder, and removes copies for other URLs and the remains of interrupted writes.
    pub(super) fn open(state_dir: &Path, writers: TrustedOwners, urls: &[&RpcUrl]) -> io::Result<Self> {
        let cache = Self { folder: state_dir.join("lists") };
        files::make_folder(&cache.folder, 0o700, writers).map_err(io::Error::other)?;
        let wanted: BTreeSet<PathBuf> = urls.iter().map(|url| cache.path(url)).collect();
        for entry in fs::read_dir(&cache.folder)? {
            let path = entry?.path();
            if !wanted.contains(&path) {
                fs::remove_file(path)?;
            }
        }
        Ok(cache)
    }

    /// The copy of the list at `url`; `None` if there is none.
    pub(super) fn read(&self, url: &RpcUrl) -> io::Result<Option<CachedList>> {
        let file = match File::open(self.path(url)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let bound = u64::try_from(HEAD_BYTES_MAX + DOCUMENT_BYTES_MAX).unwrap_or(u64::MAX);
        let mut bytes = Vec::new();
        file.take(bound).read_to_end(&mut bytes)?;
        let broken = || io::Error::new(io::ErrorKind::InvalidData, "the cached copy is broken");
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
        let head: Head = serde_json::from_slice(bytes.get(..end).unwrap_or_default()).map_err(|_| broken())?;
        let fetched_at = UNIX_EPOCH.checked_add(Duration::from_secs(head.fetched_at_s)).ok_or_else(broken)?;
        Ok(Some(CachedList { etag: head.etag, fetched_at, document: Bytes::from(bytes).slice(end + 1..) }))
    }

    /// Replaces the copy of the list at `url`.
    pub(super) fn write(&self, url: &RpcUrl, copy: &CachedList) -> io::Result<()> {
        let fetched_at_s = copy.fetched_at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let head = serde_json::to_vec(&Head { etag: copy.etag.clone(), fetched_at_s })?;
        let path = self.path(url);
        let incoming = path.with_extension("incoming");
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&incoming)?;
        file.write_all(&head)?;
        file.write_all(b"\n")?;
        file.write_all(&copy.document)?;
        file.sync_all()?;
        fs::rename(&incoming, &path)
    }

    fn path(&self, url: &RpcUrl) -> PathBuf {
        self.folder.join(format!("{}.json", hex::encode(Sha256::digest(url.expose().as_str()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> RpcUrl {
        text.parse().unwrap()
    }

    fn copy(document: &'static str) -> CachedList {
        let fetched_at = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        CachedList { etag: Some("\"a\\b\"".into()), fetched_at, document: document.into() }
    }

    #[test]
    fn a_copy_is_read_as_it_was_written_and_the_later_one_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (url("https://l.example/a?key=1"), url("https://l.example/a?key=2"));
        let cache = ListCache::open(folder.path(), TrustedOwners::of_process(None), &[&one, &other]).unwrap();
        assert_eq!(cache.read(&one).unwrap(), None);
        cache.write(&one, &copy("{}\n1")).unwrap();
        cache.write(&one, &copy("{}\n2")).unwrap();
        assert_eq!(cache.read(&one).unwrap(), Some(copy("{}\n2")));
        assert_eq!(cache.read(&other).unwrap(), None);
    }

    #[test]
    fn no_file_name_repeats_a_url_and_only_wanted_copies_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (url("https://l.example/s3cret"), url("https://other.example/s3cret"));
        let cache = ListCache::open(folder.path(), TrustedOwners::of_process(None), &[&one, &other]).unwrap();
        for url in [&one, &other] {
            cache.write(url, &copy("{}")).unwrap();
        }
        fs::write(cache.path(&one).with_extension("incoming"), "left by a crash").unwrap();
        let cache = ListCache::open(folder.path(), TrustedOwners::of_process(None), &[&one]).unwrap();
        let names: Vec<_> = fs::read_dir(&cache.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [cache.path(&one).file_name().unwrap()]);
        assert!(!names[0].to_str().unwrap().contains("s3cret"));
    }

    #[test]
    fn a_broken_copy_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let one = url("https://l.example/");
        let cache = ListCache::open(folder.path(), TrustedOwners::of_process(None), &[&one]).unwrap();
        for bytes in ["", "{}", "{\"etag\":1}\n", "{\"etag\":null,\"fetched_at_s\":18446744073709551615}\n{}"] {
            fs::write(cache.path(&one), bytes).unwrap();
            assert!(cache.read(&one).is_err(), "{bytes}");
        }
    }
}
