//! The memory in use, by the kind of limit that applies. A cgroup's figure includes socket buffers.

use std::fs;

use portolan_base::process_memory;

use crate::memory_limit::{Cgroup, Limited};

/// This process below `/proc`.
const OWN: &str = "self";
/// A cgroup's figures take longer to read, so that one sample in this many reads them.
const CGROUP_EVERY: u32 = 10;

/// Samples the memory in use.
#[derive(Debug)]
pub(crate) struct Used {
    limited: Limited,
    /// The last figure of the cgroup.
    of_cgroup: u64,
    count: u32,
}

impl Used {
    pub(crate) fn new(limited: Limited) -> Self {
        Self { limited, of_cgroup: 0, count: 0 }
    }

    pub(crate) fn read(&mut self) -> u64 {
        if let Limited::Cgroup(cgroup) = &self.limited
            && self.count.is_multiple_of(CGROUP_EVERY)
        {
            self.of_cgroup = of_cgroup(cgroup).unwrap_or_default();
        }
        self.count = self.count.wrapping_add(1);
        let rows: &[&str] = match self.limited {
            Limited::Resident | Limited::Cgroup(_) => &process_memory::RESIDENT,
            Limited::Data => &["VmData"],
            Limited::Mapped => &["VmSize"],
        };
        process_memory::bytes(OWN, rows).unwrap_or_default().max(self.of_cgroup)
    }
}

/// Returns the memory in use by the cgroup, without file pages.
fn of_cgroup(cgroup: &Cgroup) -> Option<u64> {
    let used: u64 = fs::read_to_string(cgroup.folder.join(cgroup.names.used)).ok()?.trim().parse().ok()?;
    let stat = fs::read_to_string(cgroup.folder.join("memory.stat")).ok()?;
    let rows = stat.lines().filter_map(|line| line.split_once(' '));
    let files = rows.filter(|(name, _)| cgroup.names.files.contains(name));
    Some(used.saturating_sub(files.filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok()).sum()))
}

/// Returns the resident memory of the process, with file pages.
pub(crate) fn resident_bytes() -> u64 {
    process_memory::bytes(OWN, &["VmRSS"]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgroups_figure_is_less_its_files() {
        let mount = tempfile::tempdir().unwrap();
        fs::write(mount.path().join("memory.current"), "1000\n").unwrap();
        fs::write(mount.path().join("memory.stat"), "anon 500\nactive_file 100\ninactive_file 250\n").unwrap();
        let cgroup = Cgroup::of_process("0::/\n", mount.path()).unwrap();
        assert_eq!(of_cgroup(&cgroup), Some(650));
    }

    #[test]
    fn this_process_uses_some() {
        let used = [Limited::Resident, Limited::Data, Limited::Mapped].map(|limited| Used::new(limited).read());
        assert!(used.iter().all(|bytes| *bytes > 0), "{used:?}");
    }
}
