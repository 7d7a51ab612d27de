//! The form that `Accept` requests: of amounts (`application/json;amounts=string`), and a stream of events.
//!
//! Invariant: ranges of other media types are ignored. Of several JSON ranges the one with the highest weight counts,
//! the first among equals (RFC 9110, 12.5.1).

use hyper::header::{ACCEPT, HeaderMap};
use portolan_base::sanitize::output::Numbers;

use crate::gateway::problem::Problem;
use crate::http::event_stream;
use crate::http::view::form;

const JSON: &str = "application/json";

/// Returns the form that the preferred JSON range names; `None` if it names none.
///
/// # Errors
/// The form is unknown.
pub(in crate::http) fn numbers(headers: &HeaderMap) -> Result<Option<Numbers>, Problem> {
    preferred(headers, JSON).and_then(|range| range.amounts).map(form::numbers).transpose()
}

/// Returns true if the client wants a stream of events, and JSON no more than that.
pub(in crate::http) fn wants_events(headers: &HeaderMap) -> bool {
    let weight = |media_type| preferred(headers, media_type).map_or(0, |range| range.weight);
    weight(event_stream::MEDIA_TYPE) > 0 && weight(event_stream::MEDIA_TYPE) >= weight(JSON)
}

fn preferred<'a>(headers: &'a HeaderMap, media_type: &str) -> Option<Range<'a>> {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let mut wanted: Option<Range<'_>> = None;
    for range in lines.flat_map(|line| line.split(',')).filter_map(|text| Range::of(text, media_type)) {
        if wanted.as_ref().is_none_or(|wanted| range.weight > wanted.weight) {
            wanted = Some(range);
        }
    }
    wanted
}

/// A media range.
struct Range<'a> {
    amounts: Option<&'a str>,
    /// Quality value in thousandths.
    weight: u16,
}

impl<'a> Range<'a> {
    /// Returns `None` for other types and for a weight of 0.
    fn of(text: &'a str, media_type: &str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        parts.next().filter(|found| found.eq_ignore_ascii_case(media_type))?;
        let mut range = Self { amounts: None, weight: 1000 };
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match name.trim().to_ascii_lowercase().as_str() {
                "amounts" => range.amounts = Some(value.trim().trim_matches('"')),
                "q" => range.weight = weight(value.trim()).unwrap_or(range.weight),
                _ => {}
            }
        }
        (range.weight > 0).then_some(range)
    }
}

/// Parses a quality value with at most three decimals into thousandths.
pub(super) fn weight(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let thousandths = format!("{fraction:0<3}").parse::<u16>().ok().filter(|_| fraction.len() <= 3)?;
    let weight = whole.parse::<u16>().ok()?.checked_mul(1000)?.checked_add(thousandths)?;
    (weight <= 1000).then_some(weight)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn of(lines: &[&str]) -> Result<Option<Numbers>, Problem> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(ACCEPT, HeaderValue::from_str(line).unwrap());
        }
        numbers(&headers)
    }

    #[test]
    fn the_range_of_json_that_is_wanted_most_names_the_form() {
        let cases: [(&[&str], Option<Numbers>); 11] = [
            (&[], None),
            (&["*/*"], None),
            (&["application/json"], None),
            (&["application/json;amounts=string"], Some(Numbers::Quoted)),
            (&["Application/JSON ; charset=utf-8; Amounts=\"string\""], Some(Numbers::Quoted)),
            (&["application/json;amounts=number"], Some(Numbers::Plain)),
            (&["text/html, application/json;amounts=string;q=0.9, */*;q=0.8"], Some(Numbers::Quoted)),
            (&["application/json;amounts=string;q=0.5, application/json"], None),
            (&["application/json;amounts=string;q=0, application/json;q=0.1"], None),
            (&["text/html", "application/json;amounts=string"], Some(Numbers::Quoted)),
            (&["text/html;amounts=string"], None),
        ];
        for (lines, expected) in cases {
            assert_eq!(of(lines), Ok(expected), "{lines:?}");
        }
    }

    #[test]
    fn a_form_that_there_is_not_is_refused() {
        for line in ["application/json;amounts=text", "application/json;amounts=", "application/json;amounts=String"] {
            assert!(matches!(of(&[line]), Err(Problem::InvalidFilter(_))), "{line}");
        }
    }

    #[test]
    fn events_are_sent_to_who_wants_them_at_least_as_much_as_json() {
        let cases = [
            (&[][..], false),
            (&["*/*"], false),
            (&["application/json"], false),
            (&["text/event-stream"], true),
            (&["Text/Event-Stream;q=0.5, */*"], true),
            (&["text/event-stream, application/json"], true),
            (&["text/event-stream;q=0.5, application/json"], false),
            (&["text/event-stream;q=0"], false),
        ];
        for (lines, expected) in cases {
            let line = |line: &&str| (ACCEPT, HeaderValue::from_str(line).unwrap());
            assert_eq!(wants_events(&lines.iter().map(line).collect()), expected, "{lines:?}");
        }
    }

    #[test]
    fn weights_are_thousandths_of_one() {
        let cases = [("1", Some(1000)), ("1.000", Some(1000)), ("0.5", Some(500)), ("0.05", Some(50)), ("0", Some(0))];
        for (text, expected) in cases.into_iter().chain([("1.5", None), ("0.1234", None), ("x", None), ("", None)]) {
            assert_eq!(weight(text), expected, "{text}");
        }
    }
}
