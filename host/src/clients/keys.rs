//! API keys: the file that has them, read again when it changes.
//!
//! Invariant: the file and the process hold digests of keys, and no log line or answer repeats a key. A file that cannot
//! be read leaves the keys as they were.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderName};
use metrics::gauge;
use portolan_base::client_share::ClientShare;
use portolan_base::files::{self, FileError, TrustedOwners};
use portolan_plugins::FolderWatch;
use portolan_reader::ClientId;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::usage::{ClientLimits, ClientUsage};

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const BEARER: &str = "bearer ";

/// Far more than the largest allowed number of keys takes.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Each is a value of a metric's label.
const KEYS_MAX: usize = 1000;
const NAME_CHARS_MAX: usize = 64;

/// Tells scanners of secrets what they found, and a key from its name.
pub(super) const KEY_PREFIX: &str = "portolan_";

/// File events miss changes behind symbolic links; reading by the clock finds these.
const LOOK: Duration = Duration::from_secs(10);

/// Time for whoever writes the file to finish; half of a file may be a valid one.
const SETTLE: Duration = Duration::from_millis(200);

/// The label of requests without a key, and so no key's name.
pub(crate) const NO_KEY: &str = "none";

/// Where the keys are, and who needs one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySettings {
    pub(crate) file: PathBuf,
    pub(crate) are_required: bool,
    pub(crate) writers: TrustedOwners,
    /// Limits of keys that have none of their own.
    pub(crate) limits: ClientLimits,
}

/// The digest of a key.
type KeyDigest = [u8; 32];

/// A key of the file.
#[derive(Debug)]
pub(crate) struct ApiKey {
    pub(crate) name: Arc<str>,
    expires: Option<SystemTime>,
    /// What it may use; a key of this name and of the same limits keeps it when the file is read again.
    pub(crate) usage: Arc<ClientUsage>,
}

/// Why a request may not have an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyRefusal {
    #[error("this gateway answers requests with an API key, in `Authorization: Bearer` or `x-api-key`")]
    Missing,
    #[error("the API key is not one of this gateway's")]
    Unknown,
    #[error("the API key has expired")]
    Expired,
}

/// Reason why a file of keys is not in force.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyFileError {
    #[error("{0}")]
    File(#[from] FileError),
    /// Repeats nothing of the line, which may hold a key by mistake.
    #[error("line {0} is not as in a file of keys: each [NAME] once, then sha256 = \"64 hex digits\"")]
    Form(usize),
    #[error("a name has 1 to {NAME_CHARS_MAX} letters, digits, `-` and `_`; it is not `{NO_KEY}` and not a key")]
    Name,
    #[error("{0}: sha256 is not 64 hex digits, the SHA-256 of a key")]
    Digest(String),
    #[error("{0}: expires is not a time like 2027-01-01T00:00:00Z")]
    Expiry(String),
    #[error("{0} and {1} have the same key")]
    Twice(Arc<str>, Arc<str>),
    #[error("more than {KEYS_MAX} keys")]
    TooMany,
}

/// A key as the file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyEntry {
    sha256: String,
    expires: Option<String>,
    /// Each of these is the one of `[clients]` unless it is here; 0 is no limit.
    per_second_max: Option<u32>,
    burst_max: Option<u32>,
    answers_max: Option<u32>,
    reads_per_day_max: Option<u64>,
}

/// The keys of one reading of the file.
#[derive(Debug, Default)]
struct KeySet(HashMap<KeyDigest, Arc<ApiKey>>);

/// The keys in force.
#[derive(Debug)]
pub(crate) struct ApiKeys {
    settings: KeySettings,
    current: Arc<ArcSwap<KeySet>>,
    /// The text that was read last, if it was read.
    text: Option<String>,
}

/// The task that reads the file again; ends on drop.
#[derive(Debug)]
pub(crate) struct KeyFileWatch(AbortHandle);

impl Drop for KeyFileWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl ApiKeys {
    /// Reads the file for the first time.
    pub(super) fn read(settings: &KeySettings) -> Result<Self, KeyFileError> {
        let text = read(settings)?;
        let keys = KeySet::parse(&text, settings.limits, &KeySet::default())?;
        let current = Arc::new(ArcSwap::from_pointee(keys));
        Ok(Self { settings: settings.clone(), current, text: Some(text) })
    }

    /// Returns the key of a request, if it has one.
    ///
    /// # Errors
    /// The key is not in force, or there is none where each request needs one.
    pub(super) fn of_request(&self, headers: &HeaderMap) -> Result<Option<Arc<ApiKey>>, KeyRefusal> {
        let Some(given) = given(headers) else {
            return if self.settings.are_required { Err(KeyRefusal::Missing) } else { Ok(None) };
        };
        // The table is searched by the digest, whose bytes nobody can choose, so that the time tells nothing of a key.
        let digest: KeyDigest = Sha256::digest(given).into();
        let key = self.current.load().0.get(&digest).cloned().ok_or(KeyRefusal::Unknown)?;
        let is_over = key.expires.is_some_and(|expires| expires <= SystemTime::now());
        if is_over { Err(KeyRefusal::Expired) } else { Ok(Some(key)) }
    }

    /// Returns the names of the keys in force.
    pub(super) fn names(&self) -> Vec<String> {
        self.current.load().0.values().map(|key| key.name.to_string()).collect()
    }

    /// Returns what each key in force may use.
    pub(super) fn usages(&self) -> Vec<Arc<ClientUsage>> {
        self.current.load().0.values().map(|key| Arc::clone(&key.usage)).collect()
    }

    /// Reads the file again whenever it changes, until the returned value is dropped.
    pub(super) fn watch(&self) -> KeyFileWatch {
        let (settings, current) = (self.settings.clone(), Arc::clone(&self.current));
        let reader = Self { settings, current, text: self.text.clone() };
        gauge!("portolan_client_keys").set(count(reader.current.load().0.len()));
        gauge!("portolan_client_keys_file_broken").set(0.0);
        KeyFileWatch(tokio::spawn(reader.follow()).abort_handle())
    }

    async fn follow(mut self) {
        let (hint, mut hints) = mpsc::channel(1);
        let folder = self.settings.file.parent().filter(|folder| *folder != Path::new(""));
        let watch = FolderWatch::start(folder.unwrap_or(Path::new(".")), hint.clone());
        if let Err(error) = &watch {
            tracing::warn!(%error, "no file events for the file of API keys, changes are found by the timer alone");
        }
        let mut last_error = None;
        loop {
            // The sender above lives as long as this task, so the channel is open.
            if timeout(LOOK, hints.recv()).await.is_ok() {
                sleep(SETTLE).await;
                // What came meanwhile is read now.
                let _ = hints.try_recv();
            }
            let error = self.read_again().err().map(|error| error.to_string());
            if let Some(reason) = error.as_deref().filter(|reason| last_error.as_deref() != Some(*reason)) {
                let file = self.settings.file.display();
                tracing::error!(%file, reason, "the file of API keys is not read, the keys before it stay in force");
            }
            gauge!("portolan_client_keys_file_broken").set(if error.is_some() { 1.0 } else { 0.0 });
            gauge!("portolan_client_keys").set(count(self.current.load().0.len()));
            last_error = error;
        }
    }

    fn read_again(&mut self) -> Result<(), KeyFileError> {
        let text = read(&self.settings)?;
        if self.text.as_ref() == Some(&text) {
            return Ok(());
        }
        // A broken text is parsed again each time, so that its error stays until the file is right.
        let keys = KeySet::parse(&text, self.settings.limits, &self.current.load())?;
        tracing::info!(file = %self.settings.file.display(), keys = keys.0.len(), "the file of API keys is read");
        self.current.store(Arc::new(keys));
        self.text = Some(text);
        Ok(())
    }
}

fn read(settings: &KeySettings) -> Result<String, FileError> {
    files::read_linked_text(&settings.file, FILE_BYTES_MAX, settings.writers)
}

fn count(keys: usize) -> f64 {
    u32::try_from(keys).map_or(f64::MAX, f64::from)
}

/// Returns the key that a request gives.
fn given(headers: &HeaderMap) -> Option<&[u8]> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().split_at_checked(BEARER.len()));
    let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(BEARER.as_bytes())).map(|(_, key)| key);
    let key = bearer.or_else(|| headers.get(X_API_KEY).map(|value| value.as_bytes()))?;
    Some(key.trim_ascii())
}

impl KeySet {
    /// Parses a file; keys of the same name keep their use of `before`.
    fn parse(text: &str, limits: ClientLimits, before: &Self) -> Result<Self, KeyFileError> {
        let line = |error: &toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
        };
        let tables: BTreeMap<String, KeyEntry> =
            toml::from_str(text).map_err(|error| KeyFileError::Form(line(&error)))?;
        if tables.len() > KEYS_MAX {
            return Err(KeyFileError::TooMany);
        }
        let before: HashMap<_, _> = before.0.values().map(|key| (&key.name, key)).collect();
        let mut keys: HashMap<KeyDigest, Arc<ApiKey>> = HashMap::new();
        for (name, table) in tables {
            let name = key_name(&name)?;
            let (digest, expires) = (table.digest(&name)?, table.expires(&name)?);
            let limits = table.limits(limits);
            let usage = match before.get(&name) {
                Some(key) if key.usage.limits == limits => Arc::clone(&key.usage),
                Some(key) => ClientUsage::new(limits, Arc::clone(&key.usage.share)),
                None => ClientUsage::new(limits, ClientShare::new(Some(ClientId::Key(Arc::clone(&name))))),
            };
            let key = Arc::new(ApiKey { name, expires, usage });
            if let Some(other) = keys.insert(digest, Arc::clone(&key)) {
                return Err(KeyFileError::Twice(Arc::clone(&other.name), Arc::clone(&key.name)));
            }
        }
        Ok(Self(keys))
    }
}

/// Checks the name of a key.
pub(super) fn key_name(name: &str) -> Result<Arc<str>, KeyFileError> {
    let is_name = (1..=NAME_CHARS_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        && name != NO_KEY
        && !name.starts_with(KEY_PREFIX);
    if is_name { Ok(name.into()) } else { Err(KeyFileError::Name) }
}

impl KeyEntry {
    fn digest(&self, name: &str) -> Result<KeyDigest, KeyFileError> {
        let parsed = alloy::hex::decode_to_array(&self.sha256).ok().filter(|_| self.sha256.len() == 64);
        parsed.ok_or_else(|| KeyFileError::Digest(name.to_owned()))
    }

    fn limits(&self, others: ClientLimits) -> ClientLimits {
        ClientLimits {
            per_second: self.per_second_max.map_or(others.per_second, NonZero::new),
            burst: self.burst_max.map_or(others.burst, NonZero::new),
            answers: self.answers_max.map_or(others.answers, NonZero::new),
            reads_per_day: self.reads_per_day_max.map_or(others.reads_per_day, NonZero::new),
        }
    }

    fn expires(&self, name: &str) -> Result<Option<SystemTime>, KeyFileError> {
        let parsed = self.expires.as_deref().map(humantime::parse_rfc3339).transpose();
        parsed.map_err(|_| KeyFileError::Expiry(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hyper::header::HeaderValue;

    use super::*;

    /// SHA-256 of `abc`, from FIPS 180-2.
    const OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    /// SHA-256 of the empty text.
    const OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn error(text: &str) -> String {
        KeySet::parse(text, ClientLimits::default(), &KeySet::default()).unwrap_err().to_string()
    }

    fn keys(text: &str, are_required: bool) -> (tempfile::TempDir, ApiKeys) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        fs::write(&file, text).unwrap();
        let (writers, limits) = (TrustedOwners::of_process(None), ClientLimits::default());
        let settings = KeySettings { file, are_required, writers, limits };
        let keys = ApiKeys::read(&settings).unwrap();
        (folder, keys)
    }

    fn name(keys: &ApiKeys, header: HeaderName, value: &str) -> Result<Option<String>, KeyRefusal> {
        let headers = HeaderMap::from_iter([(header, HeaderValue::from_str(value).unwrap())]);
        Ok(keys.of_request(&headers)?.map(|key| key.name.to_string()))
    }

    #[test]
    fn a_key_is_known_by_its_digest_in_either_header() {
        let (_folder, keys) = keys(&format!("[acme]\nsha256 = '{OF_ABC}'"), false);
        for (header, value) in [(AUTHORIZATION, "Bearer abc"), (AUTHORIZATION, "bearer  abc"), (X_API_KEY, "abc")] {
            assert_eq!(name(&keys, header, value), Ok(Some("acme".into())), "{value}");
        }
        for (header, value) in [(AUTHORIZATION, "Bearer abd"), (X_API_KEY, ""), (X_API_KEY, OF_ABC)] {
            assert_eq!(name(&keys, header, value), Err(KeyRefusal::Unknown), "{value}");
        }
        assert_eq!(name(&keys, AUTHORIZATION, "Basic abc"), Ok(None), "another scheme is for somebody else");
        assert!(matches!(keys.of_request(&HeaderMap::new()), Ok(None)));
    }

    #[test]
    fn a_key_is_missing_where_it_is_required_and_ends_at_its_time() {
        let text = format!("[old]\nsha256 = '{OF_ABC}'\nexpires = '2020-01-01T00:00:00Z'");
        let (_folder, keys) = keys(&text, true);
        assert!(matches!(keys.of_request(&HeaderMap::new()), Err(KeyRefusal::Missing)));
        assert_eq!(name(&keys, X_API_KEY, "abc"), Err(KeyRefusal::Expired));
    }

    #[test]
    fn a_wrong_file_says_where_and_repeats_no_key() {
        let digest = format!("sha256 = '{OF_ABC}'");
        assert!(error("[acme]\n").starts_with("line 1 is not as in a file of keys"));
        assert_eq!(error("[acme]\nsha256 = 'SECRET'"), "acme: sha256 is not 64 hex digits, the SHA-256 of a key");
        assert!(error(&format!("[acme]\n{digest}\nkey = 'SECRET'")).starts_with("line 3 "));
        for text in ["[acme]\nsha256 = SECRET", "SECRET", "acme = 'SECRET'", "[acme]\nSECRET = 1"] {
            assert!(!error(text).contains("SECRET"), "{text}");
        }
        for name in ["none", "'a b'", "portolan_SECRET"] {
            assert_eq!(error(&format!("[{name}]\n{digest}")), KeyFileError::Name.to_string());
        }
        assert_eq!(error(&format!("[b]\n{digest}\n[a]\n{digest}")), "a and b have the same key");
        let expiry = format!("[a]\n{digest}\nexpires = 'soon'");
        assert_eq!(error(&expiry), "a: expires is not a time like 2027-01-01T00:00:00Z");
    }

    #[test]
    fn a_broken_file_leaves_the_keys_as_they_were() {
        let (folder, mut keys) = keys(&format!("[acme]\nsha256 = '{OF_ABC}'"), false);
        let file = folder.path().join("keys.toml");
        let share = || Arc::clone(&keys.current.load().0.values().next().unwrap().usage.share);
        let before = share();
        fs::write(&file, "[acme").unwrap();
        for _ in 0..2 {
            assert!(keys.read_again().is_err());
        }
        assert_eq!(name(&keys, X_API_KEY, "abc"), Ok(Some("acme".into())));
        fs::remove_file(&file).unwrap();
        assert!(keys.read_again().is_err());
        assert_eq!(name(&keys, X_API_KEY, "abc"), Ok(Some("acme".into())));
        fs::write(&file, format!("[acme]\nsha256 = '{OF_NOTHING}'")).unwrap();
        assert!(keys.read_again().is_ok());
        assert_eq!(name(&keys, X_API_KEY, "abc"), Err(KeyRefusal::Unknown));
        assert_eq!(name(&keys, X_API_KEY, ""), Ok(Some("acme".into())));
        let after = Arc::clone(&keys.current.load().0.values().next().unwrap().usage.share);
        assert!(Arc::ptr_eq(&before, &after), "a new key of the same name is the same client");
    }

    #[test]
    fn a_key_has_its_own_limits_or_those_of_all_clients() {
        let of_all = ClientLimits { answers: NonZero::new(4), per_second: NonZero::new(10), ..ClientLimits::default() };
        let parse = |more: &str, before: &KeySet| {
            let keys = KeySet::parse(&format!("[acme]\nsha256 = '{OF_ABC}'\n{more}"), of_all, before).unwrap();
            let usage = Arc::clone(&keys.0.values().next().unwrap().usage);
            (keys, usage)
        };
        let (keys, first) = parse("", &KeySet::default());
        assert_eq!(first.limits, of_all);
        let (keys, same) = parse("expires = '2999-01-01T00:00:00Z'", &keys);
        assert!(Arc::ptr_eq(&first, &same), "what was counted stays");
        let (_, other) = parse("answers_max = 0\nreads_per_day_max = 7", &keys);
        let own = ClientLimits { answers: None, reads_per_day: NonZero::new(7), ..of_all };
        assert!(other.limits == own && Arc::ptr_eq(&other.share, &first.share));
        assert_eq!((other.share.answers_left(), other.share.reads_left().unwrap().0), (None, 7));
    }
}
