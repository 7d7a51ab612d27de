//! The parameters of a query string.
//!
//! Invariant: only parameters whose names begin with `_` are ignored, and a single-valued one never has two values.

use url::form_urlencoded;

use crate::gateway::problem::{Problem, quoted};
use crate::paths::Endpoint;

/// Prefix of parameters that clients add for others than the gateway, such as cache busters.
const IGNORED: char = '_';

/// Minimum similarity (Jaro) for suggesting a name: `net` suggests `network`, `kind` does not suggest `include`.
const LIKENESS_MIN: f64 = 0.8;

/// The parameters of a request, decoded.
pub(super) struct Search {
    given: Vec<(String, String)>,
    endpoint: Endpoint,
}

impl Search {
    /// # Errors
    /// The endpoint does not take one of them.
    pub(super) fn of(text: &str, endpoint: Endpoint) -> Result<Self, Problem> {
        let given: Vec<(String, String)> = parameters(text).collect();
        let taken: Vec<&str> = endpoint.taken().collect();
        check(given.iter().map(|(name, _)| name.as_str()), &taken)?;
        Ok(Self { given, endpoint })
    }

    /// Returns the value of a single-valued parameter; `None` if it is absent.
    ///
    /// # Errors
    /// It is given with two different values.
    pub(super) fn one(&self, name: &'static str) -> Result<Option<&str>, Problem> {
        let mut values = self.all(name);
        let Some(first) = values.next() else { return Ok(None) };
        match values.find(|other| *other != first) {
            None => Ok(Some(first)),
            Some(other) => {
                let both = format!("{} and {}", quoted(first), quoted(other));
                Err(wrong(name, format!("{name} has one value, and {both} are given")))
            }
        }
    }

    /// Returns the comma-separated members of all occurrences of a list parameter, without empty ones.
    pub(super) fn members(&self, name: &'static str) -> Vec<String> {
        let members = self.all(name).flat_map(|value| value.split(',')).map(str::trim);
        members.filter(|member| !member.is_empty()).map(ToOwned::to_owned).collect()
    }

    /// Returns true for `?detail=full`, which adds the report and all members of rows.
    ///
    /// # Errors
    /// `detail` has another value.
    pub(super) fn is_full(&self) -> Result<bool, Problem> {
        match self.one("detail")? {
            None => Ok(false),
            Some("full") => Ok(true),
            Some(other) => {
                Err(wrong("detail", format!("detail is full or is not given; {} is neither", quoted(other))))
            }
        }
    }

    fn all(&self, name: &'static str) -> impl Iterator<Item = &str> {
        debug_assert!(
            self.endpoint.taken().any(|taken| taken == name),
            "{name} does not stand in the table of parameters"
        );
        self.given.iter().filter(move |(each, _)| each == name).map(|(_, value)| value.as_str())
    }
}

/// Checks that there are no parameters, for a path that takes none.
///
/// # Errors
/// There is one.
pub(in crate::http) fn check_none(text: &str) -> Result<(), Problem> {
    let given: Vec<(String, String)> = parameters(text).collect();
    check(given.iter().map(|(name, _)| name.as_str()), &[])
}

fn parameters(text: &str) -> impl Iterator<Item = (String, String)> {
    let parameters = form_urlencoded::parse(text.as_bytes()).into_owned();
    parameters.filter(|(name, _)| !name.starts_with(IGNORED))
}

fn check<'a>(mut names: impl Iterator<Item = &'a str>, taken: &[&str]) -> Result<(), Problem> {
    match names.find(|name| !taken.contains(name)) {
        Some(unknown) => Err(Problem::UnknownParameter(unknown_parameter(unknown, taken))),
        None => Ok(()),
    }
}

fn unknown_parameter(name: &str, taken: &[&str]) -> String {
    let meant = nearest(name, taken).map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
    let known = if taken.is_empty() { "none".to_owned() } else { taken.join(", ") };
    format!("unknown parameter: {}{meant}; this path takes {known}", quoted(name))
}

/// Returns the most similar of these names, if any is similar enough.
fn nearest<'a>(name: &str, taken: &[&'a str]) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let alike = taken.iter().map(|near| (*near, strsim::jaro(&lower, near)));
    let (near, likeness) = alike.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (likeness >= LIKENESS_MIN).then_some(near)
}

/// Makes the problem for an invalid value of a parameter.
fn wrong(name: &str, detail: String) -> Problem {
    match name {
        "network" => Problem::InvalidNetwork(detail),
        "block" | "min-block" => Problem::InvalidBlock(detail),
        "account" | "accounts" => Problem::InvalidAddress(detail),
        _ => Problem::InvalidFilter(detail),
    }
}
