//! The budget of file descriptors. Invariant: connections leave enough of them for the rest of the process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// File descriptors for plugins, the store and connections to endpoints; at most half of all.
const RESERVED: usize = 1024;

/// Raises the limit of open files to its maximum; returns how many connections then fit, besides operators' ones.
pub(in crate::http) fn connections(operators_max: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(error) => {
            tracing::warn!(reason = %error, "limit of open files not raised");
            limit.current
        }
    };
    // `None` means no limit.
    current.map_or(usize::MAX, |files| fitting(usize::try_from(files).unwrap_or(usize::MAX), operators_max))
}

fn fitting(files: usize, operators_max: usize) -> usize {
    files.saturating_sub(operators_max).saturating_sub(RESERVED.min(files / 2)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_everything_else() {
        assert_eq!(fitting(20_000, 64), 20_000 - 64 - 1024);
        assert_eq!(fitting(1024, 64), 448);
        assert_eq!(fitting(100, 64), 1);
    }
}
