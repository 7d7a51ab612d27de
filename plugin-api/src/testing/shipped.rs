//! The rows that a plugin ships with.

#![expect(clippy::expect_used, clippy::panic, reason = "a wrong row is the failure of the test that runs this")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::job_test::{catalogue, settings_error};
use crate::export::Exported;
use crate::settings::Settings;
use crate::shipped_rows::Rows;

/// Sees that the plugin reads all rows that it ships with, that each protocol has a row which the catalogue serves, and
/// that no file of the folder was left out: a new file is embedded when a file that was is saved, or the source.
///
/// # Panics
/// With the file, line and key of a row that is not read, or with the protocol or the file that is left out.
pub fn check_rows<P: Exported>(rows: Rows, folder: impl AsRef<Path>) {
    let folder = folder.as_ref();
    if let Some(refused) = settings_error::<P>(&Settings::default()) {
        panic!("{}, key `{}`", refused.message, refused.key.unwrap_or_default());
    }
    let served = catalogue::<P>(&Settings::default());
    for protocol in rows.protocols() {
        assert!(served.protocols.contains(&protocol), "{}: the catalogue has no row of it", protocol.slug);
    }
    let embedded: BTreeSet<&str> = rows.files().filter_map(|path| path.rsplit('/').next()).collect();
    let entries = fs::read_dir(folder).expect("the folder of the rows");
    for entry in entries {
        let name = entry.expect("an entry of the folder").file_name().to_string_lossy().into_owned();
        let is_left_out = name.ends_with(".toml") && !embedded.contains(name.as_str());
        assert!(!is_left_out, "{name} was not embedded: save another file of {}", folder.display());
    }
}
