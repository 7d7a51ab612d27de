//! The folders of state and plugins. Invariant: neither depends on the working directory, unless a flag or a variable
//! has a relative path.

use std::path::{Path, PathBuf};

use super::ConfigError;
use super::layer::{Key, Layers, Setting};

/// Returns the path of a folder that the file names; a relative one starts at the file's folder.
pub(super) fn of_file(file: &str, name: String) -> String {
    let beside = Path::new(file).parent().filter(|_| !name.is_empty());
    beside.map_or(name.clone(), |folder| folder.join(&name).to_string_lossy().into_owned())
}

pub(super) fn named(setting: &Setting) -> Result<PathBuf, ConfigError> {
    if setting.text.is_empty() { Err(setting.bad("is not a directory")) } else { Ok(PathBuf::from(&setting.text)) }
}

/// Returns the default: beside the configuration file or, without one, in the user's state directory (XDG base
/// directory specification).
pub(super) fn default(layers: &Layers<'_>, key: Key, name: &str) -> Result<PathBuf, ConfigError> {
    if let Some(folder) = Path::new(layers.file).parent() {
        return Ok(folder.join(name));
    }
    let variable = |name| layers.environment.get(name).map(Path::new).filter(|path| path.is_absolute());
    let state = variable("XDG_STATE_HOME").map(Path::to_owned);
    let state = state.or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    let place = key.flag.unwrap_or(key.file);
    let nowhere = || ConfigError::new(place, "is required, as there is no configuration file, XDG_STATE_HOME or HOME");
    state.map(|folder| folder.join(name)).ok_or_else(nowhere)
}
