//! Fuzz targets of plugins' files and of their workers' messages, and instances for other targets.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use portolan_abi::map::{Catalogue, Settings, SettingsError, SettingsValue};
use portolan_abi::{capability, codec};
use portolan_base::network::Networks;
use portolan_base::sanitize::fuzzing::require_sentence;

use crate::files::elf;
use crate::files::manifest::Manifest;
use crate::files::settings as files;
pub use crate::load::worker::fuzzing::worker_message;
use crate::serve::catalogue;
use crate::serve::instance::Instance;
use crate::testing::ScriptedPlugin;

static NETWORKS: LazyLock<Networks> = LazyLock::new(|| Networks::new([]));

/// Parses any text as a settings file. The result must be settings that encode and decode unchanged, or an error that
/// names the row or the key.
pub fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match files::parse(text, &NETWORKS) {
        Ok(settings) => require_settings(&settings, bytes.len()),
        Err(fault) => {
            let sentence = fault.to_string();
            let is_placed =
                ["line ", "deployment ", "protocol ", "key `"].iter().any(|place| sentence.starts_with(place));
            assert!(is_placed, "{sentence:?}");
            require_sentence(&sentence);
        }
    }
}

fn require_settings(settings: &Settings, file_bytes: usize) {
    let encoded = codec::encode(settings);
    assert_eq!(codec::decode::<Settings>(&encoded).ok().as_ref(), Some(settings));
    // Each row has a few words that a file may omit.
    assert!(encoded.len() <= 64 + 8 * file_bytes, "{} bytes of {file_bytes}", encoded.len());
    let mut rows = BTreeSet::new();
    for row in &settings.deployments {
        assert!(NETWORKS.with_chain_id(row.chain_id).is_some(), "{row:?}");
        assert!(rows.insert((&row.protocol, row.chain_id, &row.market)), "{row:?}");
        assert!(row.keys.iter().all(|key| is_nested(&key.value, 3)), "{row:?}");
    }
    let slug = settings.protocols.first().map(|protocol| protocol.slug.clone());
    for row in [0, settings.deployments.len(), usize::MAX] {
        let error = SettingsError { row: u32::try_from(row).ok(), key: slug.clone(), message: "no".to_owned() };
        require_sentence(&files::refused_by_plugin(&error, settings, &NETWORKS).to_string());
    }
}

fn is_nested(value: &SettingsValue, deep: usize) -> bool {
    match value {
        SettingsValue::List(values) => deep > 0 && values.iter().all(|value| is_nested(value, deep - 1)),
        _ => true,
    }
}

/// Reads any bytes as a dylib. The result must be a manifest inside of them, or an error in a sentence.
pub fn dylib(bytes: &[u8]) {
    match elf::lint(bytes) {
        Ok(json) => {
            assert!(json.len() <= bytes.len());
            drop(Manifest::parse(json));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// An instance with this catalogue; `None` if the host refuses the catalogue.
pub fn instance(declared: &[u8]) -> Option<Instance> {
    let manifest = Manifest {
        plugin: "fuzzed".to_owned(),
        version: "1.0.0".to_owned(),
        abi: "1.0.0".to_owned(),
        api_rev: portolan_abi::API_REV,
        host_rev_min: None,
        frames: vec![1],
        capabilities: capability::ALL,
        panic: "unwind".to_owned(),
    };
    match catalogue::check(declared, &NETWORKS, &manifest) {
        Ok(checked) => Some(serving(checked.catalogue)),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// An instance with this checked catalogue.
pub fn serving(catalogue: Catalogue) -> Instance {
    catalogue.protocols.iter().map(catalogue::shown).for_each(drop);
    ScriptedPlugin::new("fuzzed", catalogue).instance()
}
