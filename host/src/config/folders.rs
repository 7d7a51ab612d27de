//! Where the state and plugins folders are. Invariant: neither depends on the working directory, unless a flag or a
//! variable names it so.

use std::path::{Path, PathBuf};

use super::ConfigError;
use super::layer::{Key, Layers, Setting};

/// A folder that the file names; a relative name begins at the file.
pub(super) fn of_file(file: &str, name: String) -> String {
    let beside = Path::new(file).parent().filter(|_| !name.is_empty());
    beside.map_or(name.clone(), |folder| folder.join(&name).to_string_lossy().into_owned())
}

pub(super) fn named(setting: &Setting) -> Result<PathBuf, ConfigError> {
    if setting.text.is_empty() { Err(setting.bad("is no folder")) } else { Ok(PathBuf::from(&setting.text)) }
}

/// Beside the configuration file; without one in the user's state directory, as the XDG base directory specification
/// defines it.
pub(super) fn default(layers: &Layers<'_>, key: Key, name: &str) -> Result<PathBuf, ConfigError> {
    if let Some(folder) = Path::new(layers.file).parent() {
        return Ok(folder.join(name));
    }
    let variable = |name| layers.environment.get(name).map(Path::new).filter(|path| path.is_absolute());
    let state = variable("XDG_STATE_HOME").map(Path::to_owned);
    let state = state.or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    let place = key.flag.unwrap_or(key.file);
    let nowhere = || ConfigError::new(place, "is needed: there is no configuration file, XDG_STATE_HOME or HOME");
    state.map(|folder| folder.join(name)).ok_or_else(nowhere)
}
