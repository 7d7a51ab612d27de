//! A plugin's manifest, in the ELF note and again from the loaded library: its identity, and how it was built.
//!
//! Invariant: a checked [`Manifest`] fits this host.

use portolan_abi::{API_REV, API_REV_MIN, FRAME_VERSION};
use serde::{Deserialize, Serialize};

/// Not a plugin's name: its settings file would be the table of claim functions.
pub(crate) const RESERVED_NAME: &str = "claim-functions";

/// Maximum length of a plugin's name.
const NAME_BYTES_MAX: usize = 64;
/// Maximum length of a version.
const VERSION_BYTES_MAX: usize = 64;

/// A manifest; members from later revisions are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) plugin: String,
    pub(crate) version: String,
    /// Version of the crate that defines the interface.
    pub(crate) abi: String,
    pub(crate) api_rev: u32,
    /// Revision of the oldest host that can serve it; `api_rev` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) host_rev_min: Option<u32>,
    pub(crate) frames: Vec<u16>,
    #[serde(default)]
    pub(crate) capabilities: u64,
    /// `unwind` or `abort`.
    pub(crate) panic: String,
}

/// Reason why a manifest was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ManifestError {
    #[error("its manifest is malformed: {0}")]
    Malformed(String),
    #[error("its manifest names the plugin {0:?}, which is not kebab-case")]
    Name(String),
    #[error("its manifest names the plugin {0:?}, which is the name of an operator's file")]
    Reserved(String),
    #[error("its manifest has a version that is empty, long or not printable")]
    Version,
    #[error("built for interface {0}, this host has 1")]
    Abi(String),
    #[error("it needs a host of revision {0} of the interface, this one has {API_REV}: update the host")]
    HostRev(u32),
    #[error("built for revision {0} of the interface, this host needs {API_REV_MIN} or later: rebuild it")]
    OldApiRev(u32),
    #[error("it reads frame versions {0:?}, this host writes {FRAME_VERSION}")]
    Frames(Vec<u16>),
    #[error("built with panic={0}: a panic would end the host, build it with unwind")]
    Panic(String),
}

impl Manifest {
    /// Parses a manifest's JSON.
    pub(crate) fn parse(json: &str) -> Result<Self, ManifestError> {
        serde_json::from_str(json).map_err(|error| ManifestError::Malformed(error.to_string()))
    }

    /// Checks that this host can load the plugin in its own process.
    pub(crate) fn check(&self) -> Result<(), ManifestError> {
        if !is_kebab_case(&self.plugin) {
            return Err(ManifestError::Name(self.plugin.chars().take(NAME_BYTES_MAX).collect()));
        }
        if self.plugin == RESERVED_NAME {
            return Err(ManifestError::Reserved(self.plugin.clone()));
        }
        let printable = !self.version.is_empty() && self.version.bytes().all(|byte| byte.is_ascii_graphic());
        if !printable || self.version.len() > VERSION_BYTES_MAX {
            return Err(ManifestError::Version);
        }
        if self.abi.split('.').next() != Some("1") {
            return Err(ManifestError::Abi(self.abi.clone()));
        }
        let host_rev_min = self.host_rev_min.unwrap_or(self.api_rev);
        if host_rev_min > API_REV {
            return Err(ManifestError::HostRev(host_rev_min));
        }
        if self.api_rev < API_REV_MIN {
            return Err(ManifestError::OldApiRev(self.api_rev));
        }
        if !self.frames.contains(&FRAME_VERSION) {
            return Err(ManifestError::Frames(self.frames.clone()));
        }
        if self.panic != "unwind" {
            return Err(ManifestError::Panic(self.panic.clone()));
        }
        Ok(())
    }

    /// `name@version`.
    pub(crate) fn label(&self) -> String {
        format!("{}@{}", self.plugin, self.version)
    }
}

/// Returns true for lower-case words and digits, joined by single hyphens, beginning with a letter.
pub fn is_kebab_case(name: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= NAME_BYTES_MAX
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.split('-').all(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest::parse(
            r#"{"plugin":"aave-v3","version":"0.1.0","abi":"1.0.0","apiRev":5,"frames":[1],"capabilities":3,
                "panic":"unwind","rustc":"1.95","target":"x86_64-unknown-linux-gnu","later":{"added":true}}"#,
        )
        .unwrap()
    }

    type Change = fn(&mut Manifest);

    #[test]
    fn members_of_later_revisions_are_skipped() {
        assert_eq!(manifest().check(), Ok(()));
        assert_eq!(manifest().label(), "aave-v3@0.1.0");
    }

    #[test]
    fn a_plugin_of_a_newer_sdk_is_loaded_if_it_can_do_with_this_host() {
        let of = |host_rev_min| Manifest { api_rev: API_REV + 5, host_rev_min: Some(host_rev_min), ..manifest() };
        assert_eq!(of(API_REV).check(), Ok(()));
        assert_eq!(of(API_REV + 1).check(), Err(ManifestError::HostRev(API_REV + 1)));
    }

    #[test]
    fn what_this_host_cannot_load_is_refused() {
        let reserved = |m: &mut Manifest| m.plugin = RESERVED_NAME.to_owned();
        assert_eq!(format!("{RESERVED_NAME}.toml"), portolan_validation::FILE_NAME);
        let cases: [(Change, ManifestError); 9] = [
            (reserved, ManifestError::Reserved(RESERVED_NAME.to_owned())),
            (|m| m.plugin = "Aave_V3".into(), ManifestError::Name("Aave_V3".into())),
            (|m| m.version = "1\n2".into(), ManifestError::Version),
            (|m| m.abi = "2.0.0".into(), ManifestError::Abi("2.0.0".into())),
            (|m| m.api_rev = API_REV + 1, ManifestError::HostRev(API_REV + 1)),
            (|m| m.host_rev_min = Some(API_REV + 1), ManifestError::HostRev(API_REV + 1)),
            (|m| m.api_rev = API_REV_MIN - 1, ManifestError::OldApiRev(API_REV_MIN - 1)),
            (|m| m.frames = vec![2, 3], ManifestError::Frames(vec![2, 3])),
            (|m| m.panic = "abort".into(), ManifestError::Panic("abort".into())),
        ];
        for (change, refusal) in cases {
            let mut manifest = manifest();
            change(&mut manifest);
            assert_eq!(manifest.check(), Err(refusal));
        }
    }

    #[test]
    fn names_are_kebab_case() {
        for good in ["quickswap", "aave-v3", "a1-b2-c3"] {
            assert!(is_kebab_case(good), "{good}");
        }
        for bad in ["", "-", "a-", "-a", "a--b", "A", "a_b", "1inch", "../x", "a b", &"a".repeat(65)] {
            assert!(!is_kebab_case(bad), "{bad}");
        }
    }
}
