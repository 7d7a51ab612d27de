//! Checks which key vouches for a build, by a small manifest beside the dylib (`libx.manifest`) and its detached
//! signature (`libx.manifest.minisig`), made with a key that the operator trusts.
//!
//! Invariant: the signature is verified before the manifest is parsed, and over the same bytes. The manifest vouches
//! for the digest of the staged copy.

pub(crate) mod seen_versions;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use minisign_verify::{PublicKey, Signature};
use portolan_abi::map::{Catalogue, Settings};
use portolan_base::files::{self, FileError, TrustedOwners};
use portolan_base::rfc3339;
use serde::{Deserialize, Serialize};

use self::seen_versions::{SeenVersions, VersionError};
use crate::files::manifest::Manifest;
use crate::files::scan::signature_files;
use crate::files::settings::printable;
use crate::files::staging::{Digest, Stage, StageError};

/// Enough for a manifest of a thousand protocols.
const MANIFEST_BYTES_MAX: u64 = 64 << 10;
/// A signature has four lines, two of them comments.
const SIGNATURE_BYTES_MAX: u64 = 4 << 10;
/// Both as JSON, which may take six bytes for one.
const KEPT_BYTES_MAX: u64 = 6 * (MANIFEST_BYTES_MAX + SIGNATURE_BYTES_MAX) + 1024;

/// The operator's settings about signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignatureSettings {
    pub mode: SignatureMode,
    pub keys: Vec<TrustedKey>,
    /// Builds that never run, in every mode and with any signature.
    pub revoked_builds: BTreeSet<Digest>,
}

/// Treatment of a build that no trusted key vouches for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignatureMode {
    /// Signatures are not read.
    #[default]
    Off,
    /// It is served; the log and its row of `/plugins` say why it would be refused.
    Warn,
    /// It is refused.
    Require,
}

/// An author's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    /// The operator's name for it.
    pub name: String,
    pub key: PublicKey,
    /// Protocols that it may sign for; `None` for all.
    pub slugs: Option<BTreeSet<String>>,
    /// Names of the plugins that it may sign; `None` for all.
    pub plugins: Option<BTreeSet<String>>,
    /// Unix seconds at which it expires.
    pub until: Option<u64>,
    pub is_revoked: bool,
}

/// Reason why no trusted key vouches for a build.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SignatureError {
    #[error("it is not signed: {0} is missing")]
    Missing(String),
    #[error("{file}: {reason}")]
    File { file: String, reason: String, is_passing: bool },
    #[error("{file} is not a minisign signature: {reason}")]
    Malformed { file: String, reason: String },
    #[error("{0} is signed with a key that the configuration does not have")]
    UnknownKey(String),
    #[error("{file} is not what the key {key} signed: {reason}")]
    Wrong { file: String, key: String, reason: String },
    #[error("it is signed with the key {0}, which is revoked")]
    RevokedKey(String),
    #[error("it is signed with the key {key}, which ended at {}", rfc3339::of_unix_s(*until))]
    EndedKey { key: String, until: u64 },
    #[error("{file}: {reason}")]
    Manifest { file: String, reason: String },
    #[error("the manifest that is signed is about another build, of the SHA-256 {0}")]
    OtherBuild(Digest),
    #[error("the manifest that is signed is about {signed}, and the build says that it is {own}")]
    OtherName { signed: String, own: String },
    #[error("the key {key} may not sign for the protocol {slug}")]
    Scope { key: String, slug: String },
    #[error("the key {key} may not sign for a plugin of the name {name}; `plugins` of the key names those that it may")]
    NameScope { key: String, name: String },
    #[error("it serves the protocol {0}, which is not in the manifest that is signed")]
    Unlisted(String),
    #[error(transparent)]
    Version(#[from] VersionError),
}

impl SignatureError {
    /// The error for a file that cannot be read.
    fn unread(file: String, error: &FileError) -> Self {
        if error.is_missing() {
            return Self::Missing(file);
        }
        Self::File { file, reason: error.to_string(), is_passing: error.is_passing() }
    }

    /// Returns true if a retry may succeed although the files stay the same.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::File { is_passing: true, .. })
    }
}

/// The manifest's layout.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignedManifest {
    name: String,
    version: String,
    slugs: BTreeSet<String>,
    sha256: Digest,
}

/// The texts of a manifest and its signature, with the manifest's file name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignatureFiles {
    /// File name of the manifest.
    file: String,
    manifest: String,
    signature: String,
}

impl SignatureFiles {
    /// Reads the manifest and the signature beside a dylib.
    ///
    /// # Errors
    /// A file is missing or cannot be read.
    pub(crate) fn read(dylib: &Path, writers: TrustedOwners) -> Result<Self, SignatureError> {
        let [manifest, signature] = signature_files(dylib);
        let file = shown(&manifest);
        let manifest = read_text(&manifest, MANIFEST_BYTES_MAX, writers)?;
        Ok(Self { file, manifest, signature: read_text(&signature, SIGNATURE_BYTES_MAX, writers)? })
    }

    /// Reads the files stored with the staged copy of a build.
    ///
    /// # Errors
    /// The file is missing, or cannot be read or parsed.
    pub(crate) fn stored(stage: &Stage, digest: Digest) -> Result<Self, SignatureError> {
        let path = stage.signature_path(digest);
        let text = read_text(&path, KEPT_BYTES_MAX, stage.writers())?;
        let malformed =
            |error: serde_json::Error| SignatureError::Manifest { file: shown(&path), reason: error.to_string() };
        serde_json::from_str(&text).map_err(malformed)
    }

    /// Stores the files beside the staged copy of a build.
    ///
    /// # Errors
    /// They cannot be written.
    pub(crate) fn store(&self, stage: &Stage, digest: Digest) -> Result<(), StageError> {
        // A full disk does not matter if they are stored already.
        if Self::stored(stage, digest).as_ref() == Ok(self) {
            return Ok(());
        }
        let json = serde_json::to_vec(self).map_err(|error| StageError::Write(error.into()))?;
        files::replace(&stage.signature_path(digest), &json).map_err(StageError::Write)
    }
}

fn read_text(path: &Path, bytes_max: u64, writers: TrustedOwners) -> Result<String, SignatureError> {
    files::read_text(path, bytes_max, writers).map_err(|error| SignatureError::unread(shown(path), &error))
}

/// The file's name, for messages.
fn shown(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The outcome of a build's signature check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BuildSignature {
    mode: SignatureMode,
    signed: Option<Signed>,
    /// Reason why it would be refused if signatures were required.
    objection: Option<SignatureError>,
}

/// A key and the protocols it vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signed {
    /// The key's name.
    key: String,
    /// Slugs of the protocols.
    slugs: BTreeSet<String>,
    /// Unix seconds at which the key expires.
    until: Option<u64>,
}

/// The part that `/plugins` shows. The serialized names are stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignatureStatus {
    /// The operator's name for the key.
    pub(crate) signed_by: Option<String>,
    /// Reason why it would be refused if signatures were required.
    pub(crate) would_be_refused: Option<String>,
}

impl BuildSignature {
    /// Checks that the signature covers this catalogue, and returns the status to show; `None` if signatures are off.
    /// Protocols of the operator's own settings need no signature.
    ///
    /// # Errors
    /// It serves a protocol without a signature, and signatures are required.
    pub(crate) fn check(
        &self,
        catalogue: &Catalogue,
        settings: &Settings,
    ) -> Result<Option<SignatureStatus>, SignatureError> {
        if self.mode == SignatureMode::Off {
            return Ok(None);
        }
        let unlisted = self.signed.as_ref().and_then(|Signed { slugs, .. }| {
            let is_of_settings = |slug: &String| settings.protocols.iter().any(|protocol| protocol.slug == *slug);
            let mut served = catalogue.protocols.iter().map(|protocol| &protocol.slug);
            served.find(|slug| !slugs.contains(*slug) && !is_of_settings(slug))
        });
        let unlisted = unlisted.map(|slug| SignatureError::Unlisted(slug.clone()));
        if let Some(error) = unlisted.clone().filter(|_| self.mode == SignatureMode::Require) {
            return Err(error);
        }
        let objection = self.objection.as_ref().or(unlisted.as_ref());
        Ok(Some(SignatureStatus {
            signed_by: self.signed.as_ref().map(|signed| signed.key.clone()),
            would_be_refused: objection.map(ToString::to_string),
        }))
    }
}

impl BuildSignature {
    /// Returns true if the signing key has expired since, so that the build must be judged again.
    pub(crate) fn has_ended(&self, now_s: u64) -> bool {
        self.signed.as_ref().and_then(|signed| signed.until).is_some_and(|until| until <= now_s)
    }

    /// Returns true if the build must not be served any more because its key has expired.
    pub(crate) fn is_void(&self, now_s: u64) -> bool {
        self.mode == SignatureMode::Require && self.has_ended(now_s)
    }
}

/// Treatment of a version below one that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Downgrade {
    Refused,
    /// The operator pinned this build, or it was in force before.
    Allowed,
}

/// Judges builds by the operator's settings.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    settings: SignatureSettings,
    seen: SeenVersions,
}

impl Signatures {
    /// Opens a judge with these settings and the versions that earlier processes served.
    ///
    /// # Errors
    /// The versions cannot be read, and signatures are on.
    pub(crate) fn open(settings: SignatureSettings, state_dir: &Path, writers: TrustedOwners) -> io::Result<Self> {
        let seen = match settings.mode {
            SignatureMode::Off => SeenVersions::default(),
            SignatureMode::Warn | SignatureMode::Require => SeenVersions::open(state_dir, writers)?,
        };
        Ok(Self { settings, seen })
    }

    /// Returns true if signatures are not read.
    pub(crate) fn are_off(&self) -> bool {
        self.settings.mode == SignatureMode::Off
    }

    /// Judges a build by its signature files.
    ///
    /// # Errors
    /// No trusted key vouches for it, and signatures are required.
    pub(crate) fn judge(
        &self,
        digest: Digest,
        own: &Manifest,
        files: Result<&SignatureFiles, SignatureError>,
        downgrade: Downgrade,
    ) -> Result<BuildSignature, SignatureError> {
        let mode = self.settings.mode;
        if mode == SignatureMode::Off {
            return Ok(BuildSignature::default());
        }
        let verified = files.and_then(|files| self.verify(digest, own, files, now_s()));
        let verified = verified.and_then(|signed| match downgrade {
            Downgrade::Refused => {
                self.seen.check(&own.plugin, &signed.key, &own.version).map(|()| signed).map_err(Into::into)
            }
            Downgrade::Allowed => Ok(signed),
        });
        match verified {
            Ok(signed) => Ok(BuildSignature { mode, signed: Some(signed), objection: None }),
            Err(error) if mode == SignatureMode::Require => Err(error),
            Err(error) => Ok(BuildSignature { mode, signed: None, objection: Some(error) }),
        }
    }

    /// Records that a build came into force. Blocks while it writes a file.
    pub(crate) fn note(&self, signature: &BuildSignature, own: &Manifest) {
        let Some(signed) = &signature.signed else { return };
        if let Err(error) = self.seen.note(&own.plugin, &signed.key, &own.version) {
            tracing::error!(plugin = own.plugin, %error, "the version that was served will be lost at a restart");
        }
    }

    fn verify(
        &self,
        digest: Digest,
        own: &Manifest,
        files: &SignatureFiles,
        now_s: u64,
    ) -> Result<Signed, SignatureError> {
        let SignatureFiles { file, manifest, signature } = files;
        let signature = Signature::decode(signature).map_err(|error| SignatureError::Malformed {
            file: format!("{file}.minisig"),
            reason: printable(&error.to_string()),
        })?;
        let key = self.signer(file, manifest, &signature)?;
        if key.is_revoked {
            return Err(SignatureError::RevokedKey(key.name.clone()));
        }
        if let Some(until) = key.until.filter(|until| *until <= now_s) {
            return Err(SignatureError::EndedKey { key: key.name.clone(), until });
        }
        let malformed = |error: toml::de::Error| SignatureError::Manifest {
            file: file.clone(),
            reason: printable(error.message()),
        };
        let signed: SignedManifest = toml::from_str(manifest).map_err(malformed)?;
        if signed.sha256 != digest {
            return Err(SignatureError::OtherBuild(signed.sha256));
        }
        if (&signed.name, &signed.version) != (&own.plugin, &own.version) {
            let signed = printable(&format!("{}@{}", signed.name, signed.version));
            return Err(SignatureError::OtherName { signed, own: own.label() });
        }
        let is_outside = |slug: &&String| key.slugs.as_ref().is_some_and(|slugs| !slugs.contains(*slug));
        if let Some(slug) = signed.slugs.iter().find(is_outside) {
            return Err(SignatureError::Scope { key: key.name.clone(), slug: printable(slug) });
        }
        // Settings, grants of hosts and recorded versions all belong to the name.
        match &key.plugins {
            Some(plugins) if !plugins.contains(&signed.name) => {
                Err(SignatureError::NameScope { key: key.name.clone(), name: printable(&signed.name) })
            }
            _ => Ok(Signed { key: key.name.clone(), slugs: signed.slugs, until: key.until }),
        }
    }

    fn signer(&self, file: &str, manifest: &str, signature: &Signature) -> Result<&TrustedKey, SignatureError> {
        let mut outcome = Err(SignatureError::UnknownKey(file.to_owned()));
        for key in &self.settings.keys {
            match key.key.verify(manifest.as_bytes(), signature, false) {
                Ok(()) => return Ok(key),
                Err(minisign_verify::Error::UnexpectedKeyId) => {}
                Err(error) => {
                    let (file, reason) = (file.to_owned(), printable(&error.to_string()));
                    outcome = Err(SignatureError::Wrong { file, key: key.name.clone(), reason });
                }
            }
        }
        outcome
    }
}

/// The current time in Unix seconds, in which the expiry of keys is given.
pub(crate) fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests;
