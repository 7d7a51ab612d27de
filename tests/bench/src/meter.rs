//! CPU time of another process and of those that it started, by their threads.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// The processor time that the threads of a process and of its workers have used so far, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Threads(BTreeMap<String, u64>);

impl Threads {
    pub(super) fn of(process: u32) -> Result<Self> {
        let mut processes = portolan_tests::gateway::workers(process)?;
        processes.push(process);
        Self::of_all(&processes)
    }

    /// The same of these processes alone.
    pub(super) fn of_all(processes: &[u32]) -> Result<Self> {
        let mut threads = BTreeMap::new();
        for process in processes {
            // A worker, and a thread, may end between the two looks.
            let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
            for task in tasks {
                let task = task?;
                let Ok(stat) = fs::read_to_string(task.path().join("schedstat")) else { continue };
                let used = stat.split(' ').next().context("an empty schedstat")?.parse()?;
                threads.insert(task.file_name().to_string_lossy().into_owned(), used);
            }
        }
        Ok(Self(threads))
    }

    /// Returns the time used since `before`. A thread that ended meanwhile is not in it: a pool's threads end when they
    /// were idle for long, which they are not while they are measured.
    pub(super) fn ms_since(&self, before: &Self) -> f64 {
        let used = |(thread, now): (&String, &u64)| now.saturating_sub(before.0.get(thread).copied().unwrap_or(0));
        ms(Duration::from_nanos(self.0.iter().map(used).sum()))
    }
}

/// A time in milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The middle of the values; of an even number the upper one of the two.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The value that so many in a hundred do not exceed.
pub(super) fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(rank).copied().unwrap_or(f64::NAN)
}
