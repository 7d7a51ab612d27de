//! Keys that may sign plugins: `[signatures]`, and `[signatures.keys.<name>]` with what each key may sign.

use std::collections::{BTreeMap, BTreeSet};
use std::time::UNIX_EPOCH;

use humantime::parse_rfc3339;
use minisign_verify::PublicKey;
use portolan_plugins::Digest;
use portolan_plugins::signature::{SignatureMode, TrustedKey};
use serde::Deserialize;

use super::ConfigError;
use super::file::is_plugin_name;
use super::form::ValueOrigin;
use super::layers::Layers;

/// Maximum number of keys: those of all authors, and their earlier ones.
const KEYS_MAX: usize = 256;
/// Maximum protocols per key, more than any author has.
const SLUGS_MAX: usize = 4_096;
/// Maximum number of revoked builds. Older versions need no row, because a downgrade is refused anyway.
const BUILDS_MAX: usize = 4_096;
/// Stands alone in place of slugs, for all protocols.
const ALL: &str = "*";

/// The scope of one key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyTable {
    key: String,
    slugs: Vec<String>,
    plugins: Option<Vec<String>>,
    until: Option<String>,
    #[serde(default)]
    revoked: bool,
}

/// Reads the keys; there must be one if signatures are required.
pub(super) fn keys(
    mode: SignatureMode,
    table: &BTreeMap<String, KeyTable>,
    layers: &Layers<'_>,
) -> Result<Vec<TrustedKey>, ConfigError> {
    if table.len() > KEYS_MAX {
        return Err(ConfigError::new(layers.place("signatures.keys"), format!("names more than {KEYS_MAX} keys")));
    }
    if mode == SignatureMode::Require && table.is_empty() {
        return Err(ConfigError::new(layers.place("signatures.keys"), "names no key, and signatures are required"));
    }
    let mut keys: Vec<TrustedKey> = Vec::new();
    for (name, row) in table {
        let bad =
            |key: &str, reason: String| ConfigError::new(layers.place(&format!("signatures.keys.{name}{key}")), reason);
        if !is_plugin_name(name) {
            return Err(bad("", "is not in lower-case words joined by hyphens".to_owned()));
        }
        let is_no_key = || bad(".key", "is not a minisign public key: use the second line of minisign.pub".to_owned());
        let key = PublicKey::from_base64(row.key.trim()).map_err(|_| is_no_key())?;
        if let Some(other) = keys.iter().find(|other| other.key == key) {
            return Err(bad(".key", format!("is the key {} too", other.name)));
        }
        let until = row.until.as_deref().map(|text| {
            seconds(text)
                .ok_or_else(|| bad(".until", format!("{text} is not a time, for example 2027-01-01T00:00:00Z")))
        });
        let (until, is_revoked) = (until.transpose()?, row.revoked);
        let slugs = slugs(&row.slugs).map_err(|reason| bad(".slugs", reason))?;
        let plugins = plugins(row.plugins.as_deref(), slugs.as_ref()).map_err(|reason| bad(".plugins", reason))?;
        keys.push(TrustedKey { name: name.clone(), key, slugs, plugins, until, is_revoked });
    }
    Ok(keys)
}

/// Parses a time into Unix seconds.
fn seconds(text: &str) -> Option<u64> {
    let time = parse_rfc3339(text).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// Reads the slugs; `None` for all.
fn slugs(slugs: &[String]) -> Result<Option<BTreeSet<String>>, String> {
    match slugs {
        [] => Err(format!("names no protocol; [\"{ALL}\"] is for all")),
        [all] if all == ALL => Ok(None),
        slugs if slugs.len() > SLUGS_MAX => Err(format!("names more than {SLUGS_MAX} protocols")),
        slugs if slugs.iter().any(|slug| slug == ALL) => Err(format!("has \"{ALL}\" beside protocols")),
        slugs => Ok(Some(slugs.iter().cloned().collect())),
    }
}

/// Returns the plugin names that a key may sign: the listed ones, or else those of its protocols; `None` for all.
fn plugins(listed: Option<&[String]>, slugs: Option<&BTreeSet<String>>) -> Result<Option<BTreeSet<String>>, String> {
    match listed {
        None => Ok(slugs.map(|slugs| slugs.iter().map(|slug| slug.replace('_', "-")).collect())),
        Some(listed) if listed.len() > SLUGS_MAX => Err(format!("names more than {SLUGS_MAX} plugins")),
        Some(listed) => match listed.iter().find(|name| !is_plugin_name(name)) {
            Some(name) => Err(format!("{name} is not in lower-case words joined by hyphens")),
            None => Ok(Some(listed.iter().cloned().collect())),
        },
    }
}

pub(super) fn revoked_builds(texts: &[String], _: ValueOrigin<'_>) -> Result<BTreeSet<Digest>, String> {
    if texts.len() > BUILDS_MAX {
        return Err(format!("names more than {BUILDS_MAX} builds"));
    }
    let digest = |text: &String| Digest::try_from(text.clone()).map_err(|error| format!("{text} is {error}"));
    texts.iter().map(digest).collect()
}

#[cfg(test)]
mod tests;
