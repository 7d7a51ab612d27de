//! Times for operators: RFC 3339, UTC, whole seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::format_rfc3339_seconds;
use serde::Serializer;

/// Serializes a time, for serde's `serialize_with`.
pub fn serialize<S: Serializer>(time: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.collect_str(&format_rfc3339_seconds(*time)),
        None => serializer.serialize_none(),
    }
}

/// The last second of the year 9999; the format has no later years.
const LAST_S: u64 = 253_402_300_799;

/// Formats Unix seconds. Values past the format's end, which only a wrong node reports, stay numbers.
pub fn of_unix_s(seconds: u64) -> String {
    match seconds {
        0..=LAST_S => format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(),
        _ => seconds.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_no_calendar_has_stay_numbers() {
        assert_eq!(of_unix_s(0), "1970-01-01T00:00:00Z");
        assert_eq!(of_unix_s(LAST_S), "9999-12-31T23:59:59Z");
        assert_eq!(of_unix_s(u64::MAX), "18446744073709551615");
    }
}
