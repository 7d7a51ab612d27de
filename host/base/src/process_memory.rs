//! Memory of a process by the rows of its `/proc/PID/status`.

use std::fmt::Display;
use std::fs;

/// Rows of resident memory without pages of files, which leave it when others need room.
pub const RESIDENT: [&str; 2] = ["RssAnon", "RssShmem"];

/// Returns the sum of these rows of a process, an id or `self`, in bytes. `None` if it has ended, or is hidden where
/// `/proc` shows only the processes that its reader may trace.
pub fn bytes(process: impl Display, rows: &[&str]) -> Option<u64> {
    sum(&fs::read_to_string(format!("/proc/{process}/status")).ok()?, rows)
}

fn sum(status: &str, rows: &[&str]) -> Option<u64> {
    let of_row = |name: &&str| {
        let (_, size) = status.lines().filter_map(|line| line.split_once(':')).find(|(own, _)| own == name)?;
        Some(size.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
    };
    rows.iter().map(of_row).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_files_do_not_count() {
        let status = "VmRSS:\t  900 kB\nRssAnon:\t  300 kB\nRssFile:\t  590 kB\nRssShmem:\t  10 kB\n";
        assert_eq!(sum(status, &RESIDENT), Some(310 << 10));
        // As of a process that has ended.
        assert_eq!(sum("State:\tZ (zombie)\n", &RESIDENT), None);
    }

    #[test]
    fn this_process_has_some_and_one_that_is_not_there_none() {
        assert!(bytes("self", &RESIDENT).unwrap() > 0 && bytes(std::process::id(), &RESIDENT).unwrap() > 0);
        assert_eq!(bytes(u32::MAX, &RESIDENT), None);
    }
}
