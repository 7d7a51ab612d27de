//! The layers of the configuration. Invariant: a value keeps its place, so that errors can name it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::{ConfigError, handover};

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
        all.0.remove(handover::MARKER);
        if std::env::var_os(handover::MARKER).is_some() {
            all.0.extend(handover::receive().map_err(failed)?);
        } else if all.0.keys().any(|name| name.starts_with(OWN)) {
            let own = all.0.iter().filter(|(name, _)| name.starts_with(OWN));
            return Err(failed(handover::send(own)));
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
    pub(super) fn get(&self, name: &str) -> Option<&str> {
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

/// A setting with one value: its dotted key in the file, and its flag if it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) file: &'static str,
    pub(super) flag: Option<&'static str>,
}

impl Key {
    /// Returns the variable's name: `PORTOLAN_PLUGINS_DIR` for `plugins.dir`.
    pub(super) fn variable(self) -> String {
        format!("PORTOLAN_{}", self.file.replace('.', "_").to_ascii_uppercase())
    }
}

/// A value and its place.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) text: String,
    place: String,
}

impl Setting {
    pub(super) fn bad(&self, reason: &str) -> ConfigError {
        ConfigError::new(&self.place, format!("{} {reason}", self.text))
    }

    /// Like `bad`, for a value that errors must not repeat.
    pub(super) fn unusable(&self, reason: &str) -> ConfigError {
        ConfigError::new(&self.place, format!("it {reason}"))
    }

    pub(super) fn number<T>(&self, range: &RangeInclusive<T>) -> Result<T, ConfigError>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        let number = self.text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| self.bad(&format!("is not a whole number from {} to {}", range.start(), range.end())))
    }
}

/// The layers that a value can come from, besides its flag.
#[derive(Debug)]
pub(super) struct Layers<'a> {
    pub(super) environment: &'a Environment,
    /// The file's name, for error texts.
    pub(super) file: &'a str,
}

impl Layers<'_> {
    /// Returns the value of the highest layer that has one.
    pub(super) fn pick(&self, key: Key, flag: Option<String>, file: Option<String>) -> Option<Setting> {
        let flag = flag.map(|text| Setting { text, place: key.flag.unwrap_or_default().to_owned() });
        let variable = || {
            let name = key.variable();
            self.environment.get(&name).map(|text| Setting { text: text.to_owned(), place: name.clone() })
        };
        let file = || file.map(|text| Setting { text, place: self.place(key.file) });
        flag.or_else(variable).or_else(file)
    }

    /// Names a key of the file in error texts.
    pub(super) fn place(&self, key: &str) -> String {
        format!("{}: {key}", self.file)
    }
}
