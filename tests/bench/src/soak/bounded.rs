//! A program in a bound of memory: a cgroup of its own where this process may make one, else a limit of the process.
//!
//! The limit is RLIMIT_DATA, which Linux applies to all private memory that a process may write, touched or not, threads'
//! stacks included; it needs no rights. RLIMIT_AS would also count what is only reserved. Where a cgroup is exceeded the
//! kernel ends the process; beyond the limit it refuses memory, which ends the process as well.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Where cgroups are mounted, the two versions of them.
const ROOT: &str = "/sys/fs/cgroup";
const ROOT_OF_MEMORY: &str = "/sys/fs/cgroup/memory";

/// A bound of memory, which ends with the value. The program has to end before it.
#[derive(Debug)]
pub(super) struct MemoryBound {
    mib: u32,
    cgroup: Option<PathBuf>,
}

impl MemoryBound {
    pub(super) fn new(mib: u32) -> Self {
        Self { mib, cgroup: cgroup(mib) }
    }

    /// Returns how the bound is enforced, in words.
    pub(super) fn kind(&self) -> &'static str {
        if self.cgroup.is_some() { "a cgroup" } else { "RLIMIT_DATA, as no cgroup can be made here" }
    }

    /// A script in this folder that runs a program within the bound.
    pub(super) fn around(&self, folder: &Path, program: &Path) -> Result<PathBuf> {
        let enter = match &self.cgroup {
            Some(cgroup) => format!("echo $$ > '{}' || exit 1", cgroup.join("cgroup.procs").display()),
            None => format!("ulimit -d {}", self.mib * 1024),
        };
        let script = folder.join("portolan");
        fs::write(&script, format!("#!/bin/sh\n{enter}\nexec '{}' \"$@\"\n", program.display()))?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o700))?;
        Ok(script)
    }

    /// The processes that the kernel ended for want of memory; `None` where there is no cgroup to count them.
    pub(super) fn killed(&self) -> Result<Option<u64>> {
        let Some(cgroup) = &self.cgroup else { return Ok(None) };
        let events = fs::read_to_string(cgroup.join("memory.events"));
        let events = events.or_else(|_| fs::read_to_string(cgroup.join("memory.oom_control")))?;
        let killed = events.lines().find_map(|line| line.strip_prefix("oom_kill ")).context("no oom_kill")?;
        Ok(Some(killed.trim().parse()?))
    }
}

impl Drop for MemoryBound {
    fn drop(&mut self) {
        // An empty one that stays behind bounds nothing.
        let _ = self.cgroup.as_ref().map(fs::remove_dir);
    }
}

/// A new cgroup below this process's own, without swap; `None` where it cannot be made.
fn cgroup(mib: u32) -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let paths = own.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let root = match controllers {
            "" => ROOT,
            controllers if controllers.split(',').any(|name| name == "memory") => ROOT_OF_MEMORY,
            _ => return None,
        };
        Some(Path::new(root).join(path.trim_start_matches('/')).join(format!("soak-{}", std::process::id())))
    });
    paths.into_iter().find(|folder| {
        let is_made = fs::create_dir(folder).is_ok() && bound(folder, u64::from(mib) << 20);
        if !is_made {
            // It may be there without the files of the controller.
            let _ = fs::remove_dir(folder);
        }
        is_made
    })
}

fn bound(folder: &Path, bytes: u64) -> bool {
    let write = |file: &str, value: String| {
        let file = folder.join(file);
        file.is_file() && fs::write(file, value).is_ok()
    };
    if write("memory.max", bytes.to_string()) {
        // A kernel without swap has no such file.
        let _ = write("memory.swap.max", "0".to_owned());
        return true;
    }
    let _ = write("memory.swappiness", "0".to_owned());
    write("memory.limit_in_bytes", bytes.to_string())
}
