//! The last known good set: each plugin's latest build in force with its settings, and the build before it. It
//! outlives the process, so that a restart serves the same.
//!
//! Invariant: the file is replaced as a whole and begins with the hash of the rest. A damaged file is renamed and
//! logged, and the start continues without it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use alloy::hex;
use alloy::primitives::B256;
use portolan_abi::Question;
use portolan_abi::map::Catalogue;
use portolan_base::files::{self, TrustedOwners};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::files::staging::Digest;
use crate::trust::capabilities::Capabilities;

const FILE: &str = "known-good";
/// New name of a damaged file; an earlier one is overwritten.
const DAMAGED: &str = "known-good.damaged";
const HEAD: &str = "# sha256 ";
/// Enough for a settings file of the maximum size for each of some sixty plugins.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The builds by plugin name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownGood(BTreeMap<String, GoodPlugin>);

/// The builds of one plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoodPlugin {
    pub(crate) current: GoodBuild,
    pub(crate) previous: Option<GoodBuild>,
}

/// A build that was in force, with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoodBuild {
    pub digest: Digest,
    pub version: String,
    /// File name in the plugins folder.
    pub(crate) file: String,
    pub(crate) settings: Option<String>,
    /// The operator's table of claim functions.
    pub(crate) functions: Option<String>,
    pub(crate) serves: Vec<GoodProtocol>,
    /// First topics of the events that it decodes.
    pub(crate) topics: BTreeSet<B256>,
    /// `None` if it is not known: a gateway of an earlier version served it.
    #[serde(default)]
    pub(crate) capabilities: Option<Capabilities>,
}

/// A protocol that the build served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoodProtocol {
    pub slug: String,
    pub(crate) name: String,
    /// Numbers of the questions that its deployments answer, each with the chain id of a network.
    pub(crate) answers: BTreeSet<(u8, u64)>,
}

impl GoodProtocol {
    /// The protocols of a catalogue.
    pub(crate) fn all(catalogue: &Catalogue) -> Vec<Self> {
        let protocol = |protocol: &portolan_abi::map::Protocol| {
            let rows = catalogue.deployments.iter().filter(|row| row.protocol == protocol.slug);
            let answers = rows.flat_map(|row| row.questions.iter().map(|question| (question.0, row.chain_id)));
            Self { slug: protocol.slug.clone(), name: protocol.name.clone(), answers: answers.collect() }
        };
        catalogue.protocols.iter().map(protocol).collect()
    }

    /// Returns true if the plugin only decoded its events.
    pub(crate) fn has_events_alone(&self) -> bool {
        !self.answers.is_empty() && self.answers.iter().all(|(question, _)| *question == Question::EVENTS.0)
    }

    /// Returns true if a deployment of it answered the question on the network.
    pub(crate) fn answered(&self, question: Question, chain_id: u64) -> bool {
        self.answers.contains(&(question.0, chain_id))
    }
}

impl KnownGood {
    /// Reads the set of earlier processes; empty if there is no file, or a damaged one.
    ///
    /// # Errors
    /// The file cannot be read, or users who are not trusted may have written it.
    pub(crate) fn read(state_dir: &Path, writers: TrustedOwners) -> io::Result<Self> {
        let path = state_dir.join(FILE);
        let Some(text) = files::read_state(&path, FILE_BYTES_MAX, writers)? else { return Ok(Self::default()) };
        parse(&text).or_else(|reason| {
            let aside = state_dir.join(DAMAGED);
            tracing::error!(aside = %aside.display(), reason, "the last known good set is damaged and put aside");
            fs::rename(&path, &aside).map(|()| Self::default())
        })
    }

    /// The path of its file.
    pub(crate) fn path(state_dir: &Path) -> PathBuf {
        state_dir.join(FILE)
    }

    /// The text of its file.
    pub(crate) fn text(&self) -> io::Result<String> {
        let json = serde_json::to_string_pretty(self)?;
        Ok(format!("{HEAD}{}\n{json}\n", hash(&json)))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &GoodPlugin)> {
        self.0.iter()
    }

    pub(crate) fn get(&self, plugin: &str) -> Option<&GoodPlugin> {
        self.0.get(plugin)
    }

    /// Records that a build came into force.
    pub(crate) fn note(&mut self, plugin: &str, build: GoodBuild) {
        let previous = match self.0.remove(plugin) {
            Some(before) if before.current.digest == build.digest => before.previous,
            Some(before) => Some(before.current),
            None => None,
        };
        self.0.insert(plugin.to_owned(), GoodPlugin { current: build, previous });
    }

    /// Records which protocols of its build in force a plugin serves.
    pub(crate) fn note_serves(&mut self, plugin: &str, serves: Vec<GoodProtocol>) {
        if let Some(good) = self.0.get_mut(plugin) {
            good.current.serves = serves;
        }
    }

    /// Removes a plugin that was taken away.
    pub(crate) fn forget(&mut self, plugin: &str) {
        self.0.remove(plugin);
    }

    /// Digests of all builds, whose staged copies must not be removed.
    pub(crate) fn digests(&self) -> BTreeSet<Digest> {
        self.0.values().flat_map(GoodPlugin::builds).map(|build| build.digest).collect()
    }
}

impl GoodPlugin {
    /// The builds, newest first.
    pub fn builds(&self) -> impl Iterator<Item = &GoodBuild> {
        [&self.current].into_iter().chain(&self.previous)
    }
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn parse(text: &str) -> Result<KnownGood, String> {
    let (head, rest) = text.split_once('\n').ok_or("it has no head")?;
    let json = rest.trim_end();
    if head.strip_prefix(HEAD) != Some(&hash(json)) {
        return Err("its head is not the hash of the rest".to_owned());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(digest: u8, settings: Option<&str>) -> GoodBuild {
        GoodBuild {
            digest: Digest::of_test(digest),
            version: format!("1.0.{digest}"),
            file: "libacme.so".into(),
            settings: settings.map(str::to_owned),
            functions: None,
            serves: vec![GoodProtocol { slug: "acme".into(), name: "ACME".into(), answers: [(1, 137)].into() }],
            topics: [B256::repeat_byte(1)].into(),
            capabilities: None,
        }
    }

    fn read(folder: &Path) -> KnownGood {
        KnownGood::read(folder, TrustedOwners::of_process(None)).unwrap()
    }

    #[test]
    fn it_is_read_as_it_was_written_and_nothing_is_known_at_first() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), KnownGood::default());
        let mut set = KnownGood::default();
        set.note("acme", build(1, None));
        set.note("acme", build(2, Some("shipped = false")));
        files::replace(&KnownGood::path(folder.path()), set.text().unwrap().as_bytes()).unwrap();
        assert_eq!(read(folder.path()), set);
    }

    #[test]
    fn every_damaged_file_is_put_aside() {
        let mut set = KnownGood::default();
        set.note("acme", build(1, None));
        let text = set.text().unwrap();
        let damaged = [text.replace("libacme", "libevil"), text[..text.len() / 2].to_owned(), String::new()];
        for damaged in damaged {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), &damaged).unwrap();
            assert_eq!(read(folder.path()), KnownGood::default(), "{damaged}");
            assert_eq!(fs::read_to_string(folder.path().join(DAMAGED)).unwrap(), damaged);
            assert!(!folder.path().join(FILE).exists());
        }
    }

    #[test]
    fn the_build_before_is_kept_and_other_settings_are_no_other_build() {
        let mut set = KnownGood::default();
        let digests = |set: &KnownGood| set.get("acme").unwrap().builds().map(|it| it.digest).collect::<Vec<_>>();
        set.note("acme", build(1, None));
        set.note("acme", build(2, None));
        set.note("acme", build(2, Some("shipped = false")));
        assert_eq!(digests(&set), [Digest::of_test(2), Digest::of_test(1)]);
        set.note("acme", build(3, None));
        assert_eq!(digests(&set), [Digest::of_test(3), Digest::of_test(2)]);
        assert_eq!(set.digests(), [Digest::of_test(3), Digest::of_test(2)].into());
        set.forget("acme");
        assert!(set.digests().is_empty());
    }
}
