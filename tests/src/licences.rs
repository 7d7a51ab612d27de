//! Licences of packages of others, as they go with what is shipped.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The table of all packages, in the folder of their licences.
pub(crate) const TABLE: &str = "LICENCES.txt";

/// How the names of files begin that hold a licence, or what has to go with it.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Copies the licences of a package into a folder of its label below `to`, and returns its row of the table. `licence` is
/// what the package says of itself.
///
/// # Errors
/// The package has no licence, or an error of the file system.
pub(crate) fn copied(label: &str, licence: Option<&str>, package: &Path, to: &Path) -> Result<String> {
    let files = files(package)?;
    let licence = licence.or((!files.is_empty()).then_some("see its file"));
    let licence = licence.with_context(|| format!("{label} has no licence"))?;
    let folder = to.join(label);
    for file in &files {
        fs::create_dir_all(&folder)?;
        let copy = folder.join(file.file_name().context("no file name")?);
        fs::copy(file, &copy).with_context(|| format!("{} to {}", file.display(), copy.display()))?;
    }
    Ok(format!("{label}  {licence}{}", if files.is_empty() { "  without a text in the package" } else { "" }))
}

/// The files of a package that hold its licence.
fn files(package: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(package).with_context(|| package.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        if path.is_file() && NAMES.iter().any(|licence| name.starts_with(licence)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
