//! Decides which plugins caused the recorded crashes. Invariant: a crash with a blamed plugin in it counts against
//! no other plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, SystemTime};

/// Crashes further apart than this may be a coincidence, such as failing hardware that hits the same plugin twice.
const APART_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A crash: one line of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Crash {
    pub(super) at: SystemTime,
    /// Plugins in whose code the process ended: label by digest.
    pub(super) plugins: BTreeMap<String, String>,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", humantime::format_rfc3339_seconds(self.at))?;
        self.plugins.iter().try_for_each(|(digest, label)| write!(f, " {digest}={label}"))
    }
}

impl Crash {
    /// The labels on one line.
    pub(super) fn labels(&self) -> String {
        self.plugins.values().cloned().collect::<Vec<_>>().join(", ")
    }

    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let at = humantime::parse_rfc3339(words.next()?).ok()?;
        let plugin = |word: &str| word.split_once('=').map(|(digest, label)| (digest.to_owned(), label.to_owned()));
        Some(Self { at, plugins: words.map(plugin).collect::<Option<_>>()? })
    }
}

/// Crashes attributed to plugins.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Attribution {
    /// Times of the two crashes, by digest.
    pub(super) blamed: BTreeMap<String, String>,
    /// Digests of unexplained crashes of the last day.
    pub(super) suspects: BTreeSet<String>,
}

/// Attributes crashes, given in the order of the record.
pub(super) fn attribute(crashes: &[Crash], now: SystemTime) -> Attribution {
    let mut blamed: BTreeMap<String, String> = BTreeMap::new();
    let mut unexplained: Vec<&Crash> = Vec::new();
    for crash in crashes {
        if crash.plugins.keys().any(|digest| blamed.contains_key(digest)) {
            continue;
        }
        unexplained.retain(|earlier| is_near(earlier.at, crash.at));
        let before = |digest: &String| unexplained.iter().find(|earlier| earlier.plugins.contains_key(digest));
        let again = crash.plugins.keys().filter_map(|digest| Some((digest.clone(), before(digest)?.at)));
        let again: BTreeMap<String, SystemTime> = again.collect();
        if again.is_empty() {
            unexplained.push(crash);
            continue;
        }
        unexplained.retain(|earlier| !earlier.plugins.keys().any(|digest| again.contains_key(digest)));
        let time = humantime::format_rfc3339_seconds;
        blamed.extend(again.into_iter().map(|(digest, at)| (digest, format!("{} and {}", time(at), time(crash.at)))));
    }
    let recent = unexplained.into_iter().filter(|crash| is_near(crash.at, now));
    Attribution { blamed, suspects: recent.flat_map(|crash| crash.plugins.keys().cloned()).collect() }
}

/// Returns true if the crashes are at most [`APART_MAX`] apart. A clock that was set back counts as no time.
fn is_near(earlier: SystemTime, later: SystemTime) -> bool {
    later.duration_since(earlier).unwrap_or_default() <= APART_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 60 * 60;

    fn at(hours: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(hours * HOUR)
    }

    fn crash((hours, plugins): &(u64, &[&str])) -> Crash {
        Crash { at: at(*hours), plugins: plugins.iter().map(|name| ((*name).into(), format!("{name}@1"))).collect() }
    }

    /// Blamed and suspected digests at hour 100.
    fn attributed(crashes: &[(u64, &[&str])]) -> (Vec<String>, Vec<String>) {
        let attribution = attribute(&crashes.iter().map(crash).collect::<Vec<_>>(), at(100));
        (attribution.blamed.into_keys().collect(), attribution.suspects.into_iter().collect())
    }

    #[test]
    fn a_plugin_is_blamed_for_two_crashes_within_a_day() {
        type Case<'a> = (&'a [(u64, &'a [&'a str])], &'a [&'a str], &'a [&'a str]);
        let cases: [Case<'_>; 9] = [
            (&[], &[], &[]),
            (&[(99, &["a"])], &[], &["a"]),
            (&[(75, &["a"])], &[], &[]),
            (&[(75, &["a"]), (99, &["a"])], &["a"], &[]),
            (&[(74, &["a"]), (99, &["a"])], &[], &["a"]),
            // A plugin that was in only one crash is cleared if another is blamed.
            (&[(97, &["a", "b"]), (98, &["a"])], &["a"], &[]),
            (&[(97, &["a", "b"]), (98, &["a"]), (99, &["b", "c"])], &["a"], &["b", "c"]),
            // Two plugins that were in both crashes cannot be told apart.
            (&[(97, &["a", "b"]), (98, &["a", "b"])], &["a", "b"], &[]),
            (&[(96, &["a"]), (97, &["b"]), (98, &["b"]), (99, &["b", "c"])], &["b"], &["a"]),
        ];
        for (crashes, blamed, suspects) in cases {
            assert_eq!(attributed(crashes), (to_owned(blamed), to_owned(suspects)), "{crashes:?}");
        }
    }

    fn to_owned(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_a_broken_one_is_none() {
        let crash = crash(&(3, &["a", "b"]));
        assert_eq!(crash.to_string(), "1970-01-01T03:00:00Z a=a@1 b=b@1");
        assert_eq!(Crash::parse(&crash.to_string()), Some(crash));
        for broken in ["", "yesterday a=a@1", "1970-01-01T03:00:00Z a"] {
            assert_eq!(Crash::parse(broken), None, "{broken}");
        }
    }
}
