//! Paths, and the folders of state, plugins, the book and the explorer. Invariant: none depends on the working directory,
//! unless a flag or a variable has a relative path.

use std::path::{Path, PathBuf};

use super::ConfigError;
use super::form::{ValueForm, ValueOrigin};
use super::layers::Layers;

/// A path and its place; a default has no place.
#[derive(Clone, Debug)]
pub(super) struct NamedPath {
    pub(super) path: String,
    pub(super) place: Option<String>,
}

impl NamedPath {
    /// Returns a default.
    pub(super) fn unnamed(path: &str) -> Self {
        Self { path: path.to_owned(), place: None }
    }
}

/// A path; a relative one in the file starts at the file's folder.
pub(super) fn path() -> ValueForm<String, NamedPath> {
    ValueForm::new(String::new(), |path: String, origin: ValueOrigin<'_>| {
        Ok(NamedPath { path: beside(origin.file, path), place: origin.place.map(ToOwned::to_owned) })
    })
}

/// Returns a path of the file, which starts at the file's folder.
pub(super) fn beside(file: Option<&str>, path: String) -> String {
    let folder = file.and_then(|file| Path::new(file).parent()).filter(|_| !path.is_empty());
    folder.map_or(path.clone(), |folder| folder.join(&path).to_string_lossy().into_owned())
}

/// Returns a folder. One that nobody names is beside the configuration file or, without a file, in the user's state
/// directory (XDG base directory specification).
pub(super) fn folder(named: &NamedPath, flag: &str, layers: &Layers<'_>) -> Result<PathBuf, ConfigError> {
    match &named.place {
        Some(place) if named.path.is_empty() => Err(ConfigError::new(place, "is not a directory")),
        Some(_) => Ok(PathBuf::from(&named.path)),
        None => default(layers).map(|folder| folder.join(&named.path)).ok_or_else(|| {
            ConfigError::new(flag, "is required, as there is no configuration file, XDG_STATE_HOME or HOME")
        }),
    }
}

/// The folder of what was built for the gateway to serve.
#[derive(Debug)]
pub(crate) struct BuiltFolder {
    /// `None` if nobody named one and there is no folder to look in, as for commands without a server.
    pub(crate) dir: Option<PathBuf>,
    /// True if the operator named it; then it has to be there.
    pub(crate) is_named: bool,
}

impl BuiltFolder {
    /// `name` is its name if nobody named it.
    pub(super) fn new(
        named: Option<&NamedPath>,
        name: &str,
        flag: &str,
        layers: &Layers<'_>,
    ) -> Result<Self, ConfigError> {
        let dir = match named {
            Some(named) => Some(folder(named, flag, layers)?),
            None => folder(&NamedPath::unnamed(name), flag, layers).ok(),
        };
        Ok(Self { dir, is_named: named.is_some() })
    }
}

fn default(layers: &Layers<'_>) -> Option<PathBuf> {
    let variable = |name| layers.environment.get(name).map(Path::new).filter(|path| path.is_absolute());
    let beside = Path::new(layers.file).parent().map(Path::to_owned);
    let state = || variable("XDG_STATE_HOME").map(Path::to_owned);
    beside.or_else(state).or_else(|| variable("HOME").map(|home| home.join(".local/state")))
}
