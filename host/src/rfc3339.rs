//! Times as operators read them: RFC 3339, UTC, whole seconds.

use std::time::SystemTime;

use humantime::format_rfc3339_seconds;
use serde::Serializer;

/// Serializes a time, for serde's `serialize_with`.
pub(crate) fn serialize<S: Serializer>(time: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.collect_str(&format_rfc3339_seconds(*time)),
        None => serializer.serialize_none(),
    }
}
