//! Writes recorded jobs as the SDK replays them: one file for each, and beside it what the job found.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::answer::PluginAnswer;
use crate::jobs::record::JobRecord;
use crate::lone_plugin::LonePluginError;

/// Writes `<protocol>-<network>-<question>.json` for each job of the answers; further jobs of that name have a number.
pub(super) fn write(folder: &Path, answers: &mut [PluginAnswer]) -> Result<(), LonePluginError> {
    fs::create_dir_all(folder).map_err(|error| LonePluginError::File(folder.display().to_string(), error))?;
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for answer in answers {
        for job in &answer.jobs {
            let name = format!("{}-{}-{}", job.subject, job.network.slug, job.question.name());
            let count = names.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1);
            let name = if *count == 1 { name } else { format!("{name}-{count}") };
            let path = folder.join(format!("{name}.json"));
            save(job, &path)?;
            answer.files.push(path.display().to_string());
        }
    }
    Ok(())
}

/// Writes a job's record and what it found; a job that did not end has no expectation.
fn save(job: &JobRecord, path: &Path) -> Result<(), LonePluginError> {
    let failed = |error| LonePluginError::Record(path.display().to_string(), error);
    job.job.save(path).map_err(failed)?;
    match &job.found {
        Some(found) => found.save(path).map_err(failed),
        None => match fs::remove_file(path.with_extension("expected.json")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LonePluginError::File(path.display().to_string(), error))
            }
            _ => Ok(()),
        },
    }
}
