//! The layers of the configuration: flags over the environment over the file over defaults. Invariant: an error names
//! the flag, the variable or the key of the value that it is about.

use std::collections::BTreeMap;

use super::file::ConfigFile;
use super::form::{Absent, FileValue, Setting, ValueOrigin};
use super::{ConfigError, env_scrub};
use crate::cli::Flags;

/// Prefix of Portolan's own variables.
const OWN: &str = "PORTOLAN_";

/// Common variables that Portolan reads too.
const COMMON: [&str; 3] = ["RUST_LOG", "XDG_STATE_HOME", "HOME"];

/// The variables that Portolan reads. Others are ignored, even unknown ones with the prefix `PORTOLAN_`, because
/// orchestrators set such variables for a service of that name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Takes the variables of the process, and clears Portolan's own ones from it.
    pub(crate) fn take() -> Result<Self, ConfigError> {
        let failed = |error| ConfigError::new("environment", format!("cannot be cleared: {error}"));
        let mut all = Self::of_process()?;
        all.0.remove(env_scrub::MARKER);
        if std::env::var_os(env_scrub::MARKER).is_some() {
            all.0.extend(env_scrub::receive().map_err(failed)?);
        } else if all.0.keys().any(|name| name.starts_with(OWN)) {
            let own = all.0.iter().filter(|(name, _)| name.starts_with(OWN));
            return Err(failed(env_scrub::send(own)));
        }
        Ok(all)
    }

    /// Reads the variables of the process.
    pub(crate) fn of_process() -> Result<Self, ConfigError> {
        let mut variables = BTreeMap::new();
        for (name, value) in std::env::vars_os() {
            let Some(name) = name.to_str().filter(|name| name.starts_with(OWN) || COMMON.contains(name)) else {
                continue;
            };
            let value = value.into_string().map_err(|_| ConfigError::new(name, "is not valid UTF-8"))?;
            variables.insert(name.to_owned(), value);
        }
        Ok(Self(variables))
    }

    /// Returns a variable; `None` also if it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the variables that begin with `prefix`, by the rest of their names.
    pub(super) fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let set = self.0.iter().filter(|(_, value)| !value.is_empty());
        set.filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(variables: [(&str, &str); N]) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

/// Returns the name of a setting's variable: `PORTOLAN_PLUGINS_DIR` for `plugins.dir`.
pub(super) fn variable(key: &str) -> String {
    format!("{OWN}{}", key.replace('.', "_").to_ascii_uppercase())
}

/// The layers over the file, and its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layers<'a> {
    pub(super) flags: &'a Flags,
    pub(super) environment: &'a Environment,
    /// The file's name, for error texts; empty without a file.
    pub(super) file: &'a str,
}

impl Layers<'_> {
    /// Takes a setting out of the document, and returns the value of the highest layer that has one.
    pub(super) fn read<W: FileValue, V>(
        &self,
        document: &mut ConfigFile<'_>,
        key: &str,
        setting: &Setting<W, V>,
    ) -> Result<V, ConfigError> {
        let in_file = document.take::<W>(key)?;
        let refuse = |place: &str, reason: String| ConfigError::new(place, reason);
        let check = |written: W, place: &str, file: Option<&str>| {
            let origin = ValueOrigin { place: Some(place), file };
            (setting.form.check)(written, origin).map_err(|reason| refuse(place, reason))
        };
        match (self.above_file(key, setting), in_file, &setting.absent) {
            (Some((place, text)), ..) => {
                let written = W::of_text(text, &setting.form.bounds).map_err(|reason| refuse(&place, reason))?;
                check(written, &place, None)
            }
            (None, Some(written), _) => check(written, &self.place(key), Some(self.file)),
            (None, None, Absent::Nothing(nothing)) => Ok(nothing()),
            (None, None, Absent::Default(default)) => {
                (setting.form.check)(default.clone(), ValueOrigin::default()).map_err(|reason| refuse(key, reason))
            }
        }
    }

    /// Returns the flag or the variable that has a value, and this value.
    fn above_file<W, V>(&self, key: &str, setting: &Setting<W, V>) -> Option<(String, &str)> {
        let flag = setting.flag.and_then(|(name, value)| Some((name.to_owned(), value(self.flags)?)));
        flag.or_else(|| {
            let variable = setting.has_variable.then(|| variable(key))?;
            Some((variable.clone(), self.environment.get(&variable)?))
        })
    }

    /// Names a key of the file in error texts.
    pub(super) fn place(&self, key: &str) -> String {
        format!("{}: {key}", self.file)
    }
}
