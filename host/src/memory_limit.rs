//! The process's memory limit: the lowest one of its cgroups, its resource limits and the machine.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};

/// Mount point of both cgroup versions, in containers too.
const MOUNT: &str = "/sys/fs/cgroup";
/// Limit if the machine reports none.
const UNKNOWN_BYTES: u64 = 1 << 30;

/// The kind of limit, which decides what counts as used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limited {
    /// Resident memory, limited by the machine or the operator.
    Resident,
    Cgroup(Cgroup),
    /// Writable memory, touched or not.
    Data,
    /// Mapped memory.
    Mapped,
}

/// Returns the lowest limit in bytes, and its kind.
pub(crate) fn of_process() -> (u64, Limited) {
    let cgroup = Cgroup::of_process(&fs::read_to_string("/proc/self/cgroup").unwrap_or_default(), Path::new(MOUNT));
    let cgroup = cgroup.and_then(|cgroup| cgroup.limit()).map(|(bytes, cgroup)| (bytes, Limited::Cgroup(cgroup)));
    let resources = [(Resource::Data, Limited::Data), (Resource::As, Limited::Mapped)];
    let resources =
        resources.into_iter().filter_map(|(resource, limited)| Some((getrlimit(resource).current?, limited)));
    let machine = total(&fs::read_to_string("/proc/meminfo").unwrap_or_default());
    let machine = (machine.unwrap_or(UNKNOWN_BYTES), Limited::Resident);
    let all = resources.chain(cgroup).chain([machine.clone()]);
    all.min_by_key(|(bytes, _)| *bytes).unwrap_or(machine)
}

/// Parses the bytes of `MemTotal` in `/proc/meminfo`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// A cgroup's memory controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cgroup {
    /// Mount point of the controller.
    mount: PathBuf,
    /// The process's own cgroup, below the mount point.
    pub(crate) folder: PathBuf,
    pub(crate) names: ControllerFiles,
}

/// File names of one cgroup version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ControllerFiles {
    max: &'static str,
    pub(crate) used: &'static str,
    /// Rows of `memory.stat` with file pages, which the kernel takes back before it ends a process.
    pub(crate) files: [&'static str; 2],
}

const SECOND: ControllerFiles =
    ControllerFiles { max: "memory.max", used: "memory.current", files: ["inactive_file", "active_file"] };
const FIRST: ControllerFiles = ControllerFiles {
    max: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    files: ["total_inactive_file", "total_active_file"],
};

impl Cgroup {
    /// Finds the cgroup that `/proc/self/cgroup` names, in the version that has the memory controller.
    pub(crate) fn of_process(cgroups: &str, mount: &Path) -> Option<Self> {
        let rows = || cgroups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
        let of = |path: &str, mount: PathBuf, names: ControllerFiles| {
            // A container may see only its own cgroup while the path is one of the machine's.
            let own = mount.join(path.trim_start_matches('/'));
            let folder = if own.join(names.used).is_file() { own } else { mount.clone() };
            folder.join(names.used).is_file().then_some(Self { mount, folder, names })
        };
        let first = rows().find(|(controllers, _)| controllers.split(',').any(|one| one == "memory"));
        let first = first.and_then(|(_, path)| of(path, mount.join("memory"), FIRST));
        let second = || rows().find(|(controllers, _)| controllers.is_empty()).map(|(_, path)| path);
        first.or_else(|| of(second()?, mount.to_owned(), SECOND))
    }

    /// Returns the lowest limit of this cgroup and those above it, with the cgroup that has it.
    fn limit(&self) -> Option<(u64, Self)> {
        let above = self.folder.ancestors().take_while(|folder| folder.starts_with(&self.mount));
        let limit = |folder: &Path| {
            let bytes: u64 = fs::read_to_string(folder.join(self.names.max)).ok()?.trim().parse().ok()?;
            // Without a limit, version 1 reports a number near the maximum.
            (bytes < u64::MAX / 4).then(|| (bytes, Self { folder: folder.to_owned(), ..self.clone() }))
        };
        above.filter_map(limit).min_by_key(|(bytes, _)| *bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn the_least_limit_of_a_cgroup_and_those_above_counts() {
        let mount = tempfile::tempdir().unwrap();
        write(
            mount.path(),
            &[
                ("a.slice/memory.max", "536870912\n"),
                ("a.slice/memory.current", "1\n"),
                ("a.slice/b.service/memory.max", "max\n"),
                ("a.slice/b.service/memory.current", "1\n"),
            ],
        );
        let cgroup = Cgroup::of_process("0::/a.slice/b.service\n", mount.path()).unwrap();
        assert!(cgroup.folder.ends_with("a.slice/b.service"));
        let (bytes, limited) = cgroup.limit().unwrap();
        assert_eq!((bytes, limited.names), (512 << 20, SECOND));
        assert!(limited.folder.ends_with("a.slice"), "all below it share it");
    }

    #[test]
    fn the_first_version_counts_where_it_has_the_memory_controller() {
        let mount = tempfile::tempdir().unwrap();
        write(
            mount.path(),
            &[
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/memory.usage_in_bytes", "1\n"),
                ("memory/job/memory.limit_in_bytes", "1048576\n"),
                ("memory/job/memory.usage_in_bytes", "1\n"),
            ],
        );
        let rows = "12:cpu,cpuacct:/x\n7:memory:/job\n0::/\n";
        let cgroup = Cgroup::of_process(rows, mount.path()).unwrap();
        assert_eq!(cgroup.limit(), Some((1 << 20, cgroup.clone())));
        // A container names the machine's path and sees its own at the mount.
        let elsewhere = Cgroup::of_process("7:memory:/docker/5f\n", mount.path()).unwrap();
        assert_eq!((elsewhere.limit(), elsewhere.folder), (None, mount.path().join("memory")));
    }

    #[test]
    fn without_cgroups_there_is_none() {
        let mount = tempfile::tempdir().unwrap();
        assert_eq!(Cgroup::of_process("", mount.path()), None);
        assert_eq!(Cgroup::of_process("0::/x\n", mount.path()), None);
    }

    #[test]
    fn the_memory_of_the_machine_is_read_in_bytes() {
        assert_eq!(total("MemFree:  1 kB\nMemTotal:       2048 kB\n"), Some(2 << 20));
        assert_eq!(total("nothing"), None);
        assert!(of_process().0 > 0);
    }
}
