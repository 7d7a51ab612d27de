//! How much memory the process may use: the least of what its cgroups, its resource limits and the machine say.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};

/// Where both versions are mounted, in containers too.
const MOUNT: &str = "/sys/fs/cgroup";
/// For a machine that says nothing.
const UNKNOWN_BYTES: u64 = 1 << 30;

/// What has a limit of memory, and so what counts as used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limited {
    /// What the process has in memory: by the machine, or by an operator's word.
    Resident,
    Cgroup(Cgroup),
    /// What the process may write, touched or not.
    Data,
    /// What is mapped.
    Mapped,
}

/// The least limit in bytes, and what has it.
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

/// The bytes of `MemTotal` in `/proc/meminfo`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// A cgroup's memory controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cgroup {
    /// The folder where the controller is mounted.
    mount: PathBuf,
    /// The process's own, below it.
    pub(crate) folder: PathBuf,
    pub(crate) names: ControllerFiles,
}

/// The files of one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ControllerFiles {
    max: &'static str,
    pub(crate) used: &'static str,
    /// In `memory.stat`, the pages of files, which the kernel takes back before it ends a process.
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
    /// The one that `/proc/self/cgroup` names, of whichever version has the memory controller.
    pub(crate) fn of_process(cgroups: &str, mount: &Path) -> Option<Self> {
        let rows = || cgroups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
        let of = |path: &str, mount: PathBuf, names: ControllerFiles| {
            // In a container that sees only its own, the path may be one of the machine's.
            let own = mount.join(path.trim_start_matches('/'));
            let folder = if own.join(names.used).is_file() { own } else { mount.clone() };
            folder.join(names.used).is_file().then_some(Self { mount, folder, names })
        };
        let first = rows().find(|(controllers, _)| controllers.split(',').any(|one| one == "memory"));
        let first = first.and_then(|(_, path)| of(path, mount.join("memory"), FIRST));
        let second = || rows().find(|(controllers, _)| controllers.is_empty()).map(|(_, path)| path);
        first.or_else(|| of(second()?, mount.to_owned(), SECOND))
    }

    /// The least of its own limit and those above it, with the cgroup that has it; `None` where there is none.
    fn limit(&self) -> Option<(u64, Self)> {
        let above = self.folder.ancestors().take_while(|folder| folder.starts_with(&self.mount));
        let limit = |folder: &Path| {
            let bytes: u64 = fs::read_to_string(folder.join(self.names.max)).ok()?.trim().parse().ok()?;
            // The first version writes a number near the greatest where there is no limit.
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
