//! Requirements of fuzz targets on all output. These checks do not use the code under test.

use serde_json::Value;

use portolan_abi::is_invisible;

/// First strong isolate, and pop directional isolate.
const ISOLATE: [char; 2] = ['\u{2068}', '\u{2069}'];

/// Requires one line of visible characters, except an isolate around it.
pub fn require_shown(text: &str) {
    let inside = text.strip_prefix(ISOLATE[0]).and_then(|text| text.strip_suffix(ISOLATE[1])).unwrap_or(text);
    assert!(!inside.chars().any(is_invisible), "{text:?}");
}

/// Requires one of Portolan's own sentences to be one line in which every isolate is closed.
pub fn require_sentence(text: &str) {
    let mut open = 0_usize;
    for c in text.chars() {
        match c {
            c if c == ISOLATE[0] => open += 1,
            c if c == ISOLATE[1] => open = open.checked_sub(1).unwrap_or_else(|| unreachable!("{text:?}")),
            c => assert!(!is_invisible(c), "{text:?}"),
        }
    }
    assert_eq!(open, 0, "{text:?}");
}

/// Requires a JSON document without control or direction-changing characters, and returns it.
pub fn require_document(body: &[u8]) -> Value {
    let text = std::str::from_utf8(body).unwrap_or_else(|error| unreachable!("{error}"));
    let turns_around = |c: char| {
        let marks = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{2066}', '\u{2067}'];
        c.is_control() || marks.contains(&c) || ('\u{202a}'..='\u{202e}').contains(&c)
    };
    assert!(!text.chars().any(turns_around), "{text:?}");
    let document: Value = serde_json::from_str(text).unwrap_or_else(|error| unreachable!("{error}: {text:?}"));
    require_strings(&document);
    document
}

/// Requires strings without control characters, also in escapes.
fn require_strings(value: &Value) {
    match value {
        Value::String(text) => assert!(!text.chars().any(char::is_control), "{text:?}"),
        Value::Array(values) => values.iter().for_each(require_strings),
        Value::Object(members) => members.values().for_each(require_strings),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
