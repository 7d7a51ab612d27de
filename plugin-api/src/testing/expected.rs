//! Recorded jobs, compared with the findings that they must have.
//!
//! The lines of a repository's own expectations come from a chain's arithmetic, not from the run that was recorded.
#![expect(clippy::panic, reason = "a plugin that answers wrongly is the failure of the test that runs this")]

use std::path::Path;

use portolan_fixtures::Expected;

use super::{End, Fixture, FixtureError, Outcome};
use crate::export::Exported;

impl Outcome {
    /// Everything in which the outcome is not the expected one.
    pub fn differences(&self, expected: &Expected) -> Vec<String> {
        let end = if expected.partial { End::Partial } else { End::Complete };
        let is_other = self.end != end;
        let ended = is_other.then(|| format!("ended {:?} instead of {end:?}: {}", self.end, self.message));
        ended.into_iter().chain(expected.differences_of(&self.findings)).collect()
    }
}

/// Replays every record of a folder and compares it with the expectation beside it; how many there are.
///
/// # Panics
/// If an outcome is another one, or a file is not what it should be.
pub fn replay_all<P: Exported>(folder: impl AsRef<Path>) -> usize {
    let folder = folder.as_ref();
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let is_record =
        |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "json") && !Expected::is_file(path);
    let records: Vec<_> = paths.filter(is_record).collect();
    for record in &records {
        let wrong = replay::<P>(record).unwrap_or_else(|error| panic!("{}: {error}", record.display()));
        assert!(wrong.is_empty(), "{}:\n{}", record.display(), wrong.join("\n"));
    }
    records.len()
}

fn replay<P: Exported>(record: &Path) -> Result<Vec<String>, FixtureError> {
    let (fixture, expected) = (Fixture::load(record)?, Expected::load(record)?);
    Ok(fixture.replay::<P>(fixture.settings()?)?.differences(&expected))
}
