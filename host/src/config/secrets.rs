//! Secrets, each in a variable or in a file of its own. Invariant: no error repeats one.

use std::io::Read as _;
use std::path::Path;

use portolan_base::files::{self, FileError};

use super::ConfigError;
use super::folders::NamedPath;
use super::layers::Environment;

/// Maximum size; a longer one is some other file.
const SECRET_BYTES_MAX: u64 = 1024;

/// A secret, and the variable or the file that it is from.
pub(super) struct Secret {
    pub(super) place: String,
    pub(super) text: String,
}

/// Reads a secret from its variable, or from the file that is named for it; `None` without either. `noun` says what it
/// is, for errors.
pub(super) fn read(
    variable: &str,
    file: Option<&NamedPath>,
    noun: &str,
    environment: &Environment,
) -> Result<Option<Secret>, ConfigError> {
    let bad = |file: &NamedPath, reason: String| {
        ConfigError::new(file.place.as_deref().unwrap_or_default(), format!("{} {reason}", file.path))
    };
    let (place, text) = match (environment.get(variable), file) {
        (None, None) => return Ok(None),
        (Some(text), None) => (variable.to_owned(), text.to_owned()),
        (None, Some(file)) => {
            let text = of_file(Path::new(&file.path));
            (file.path.clone(), text.map_err(|error| bad(file, format!("gives no {noun}: {error}")))?)
        }
        (Some(_), Some(file)) => return Err(bad(file, format!("is named, and {variable} is set too"))),
    };
    Ok(Some(Secret { place, text }))
}

fn of_file(path: &Path) -> Result<String, FileError> {
    let mut text = String::new();
    files::open_named(path)?.take(SECRET_BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}
