//! What the metrics counted in a step: the difference between two of their texts.
//!
//! Invariant: each series is compared with itself. One that the recorder dropped and counts anew begins at zero, as
//! Prometheus takes it.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use crate::jobs::report;

/// Listeners whose requests are answers.
const PUBLIC: [&str; 2] = ["base", "claimables"];
const REQUESTS: &str = "portolan_http_requests_total";
const PARTIAL: &str = "portolan_answers_partial_total";
const SECONDS: &str = "portolan_http_request_seconds_bucket";
const JOBS: &str = "portolan_plugin_jobs_total";

/// What was counted. The serialized names are stable.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepCounts {
    /// Requests of the public listeners.
    pub(crate) answers: u64,
    /// Those that were answered by a problem.
    pub(crate) problems: u64,
    /// Those of whose answers something is missing.
    pub(crate) partial: u64,
    /// Quantiles of the time that they took, from the buckets of the metric; `None` if there were none.
    #[serde(serialize_with = "rounded")]
    pub(crate) p50_ms: Option<f64>,
    #[serde(serialize_with = "rounded")]
    pub(crate) p99_ms: Option<f64>,
    pub(crate) jobs: u64,
    pub(crate) job_failures: u64,
}

/// Rounds to two decimals, for people.
#[expect(clippy::ref_option, reason = "the form that serde takes")]
fn rounded<S: Serializer>(figure: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    figure.map(|figure| (figure * 100.0).round() / 100.0).serialize(serializer)
}

/// The series that a step is made of, as of the end of the step before.
#[derive(Debug, Default)]
pub(crate) struct Counters(HashMap<String, u64>);

impl Counters {
    /// Returns what was counted since the last call; `text` is what a scraper gets.
    pub(crate) fn step(&mut self, text: &str) -> StepCounts {
        let (mut counted, mut buckets) = (StepCounts::default(), Vec::<(f64, u64)>::new());
        let before = std::mem::take(&mut self.0);
        for (series, value) in text.lines().filter_map(Series::parse) {
            let known = before.get(series.text).copied().unwrap_or_default();
            let new = value.checked_sub(known).unwrap_or(value);
            self.0.insert(series.text.to_owned(), value);
            match series.name() {
                REQUESTS => {
                    counted.answers += new;
                    if series.label("status").is_some_and(|status| status >= "400") {
                        counted.problems += new;
                    }
                }
                PARTIAL => counted.partial += new,
                JOBS => {
                    counted.jobs += new;
                    if series.label("outcome").is_some_and(report::is_failure) {
                        counted.job_failures += new;
                    }
                }
                _ => {
                    let Some(bound) = series.label("le").and_then(|bound| bound.parse().ok()) else { continue };
                    match buckets.iter_mut().find(|(known, _)| *known == bound) {
                        Some((_, count)) => *count += new,
                        None => buckets.push((bound, new)),
                    }
                }
            }
        }
        buckets.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        counted.p50_ms = quantile_ms(&buckets, 0.5);
        counted.p99_ms = quantile_ms(&buckets, 0.99);
        counted
    }
}

/// A series: a metric's name, and its labels in braces.
#[derive(Clone, Copy)]
struct Series<'a> {
    text: &'a str,
}

impl<'a> Series<'a> {
    /// Returns a series that steps are made of, with its value; `None` for any other line.
    fn parse(line: &'a str) -> Option<(Self, u64)> {
        let (text, value) = line.rsplit_once(' ')?;
        let series = Self { text };
        let is_wanted = match series.name() {
            REQUESTS | SECONDS => series.label("listener").is_some_and(|listener| PUBLIC.contains(&listener)),
            PARTIAL | JOBS => true,
            _ => false,
        };
        if is_wanted { Some((series, value.parse().ok()?)) } else { None }
    }

    fn name(self) -> &'a str {
        self.text.split_once('{').map_or(self.text, |(name, _)| name)
    }

    /// Returns the value of a label. Those that are looked up here have no character that is escaped.
    fn label(self, name: &str) -> Option<&'a str> {
        let (_, labels) = self.text.split_once('{')?;
        let value = labels.split("\",").find_map(|label| label.strip_prefix(name)?.strip_prefix("=\""))?;
        Some(value.trim_end_matches("\"}"))
    }
}

/// Returns a quantile as Prometheus' `histogram_quantile` does: within its bucket, all values are as far apart; beyond the
/// last bound, it is this bound. `buckets` are cumulative, in the order of their bounds.
#[expect(clippy::cast_precision_loss, reason = "counts of fifteen seconds")]
fn quantile_ms(buckets: &[(f64, u64)], quantile: f64) -> Option<f64> {
    let (_, total) = *buckets.last().filter(|(_, total)| *total > 0)?;
    let rank = quantile * total as f64;
    let place = buckets.iter().position(|(_, count)| *count as f64 >= rank)?;
    let (below, counted) = place.checked_sub(1).and_then(|place| buckets.get(place)).copied().unwrap_or_default();
    let (bound, count) = *buckets.get(place)?;
    if bound.is_infinite() {
        return Some(below * 1000.0);
    }
    let share = (rank - counted as f64) / (count - counted) as f64;
    Some((below + (bound - below) * share) * 1000.0)
}

#[cfg(test)]
mod tests {
    use portolan_base::sanitize::output;

    use super::*;

    /// Lines as the exporter writes them.
    fn text(rows: &[(&str, u64)]) -> String {
        rows.iter().fold("# HELP x y\n# TYPE x counter\n\n".to_owned(), |text, (series, value)| {
            format!("{text}{series} {value}\n")
        })
    }

    fn requests(listener: &str, status: u16) -> String {
        format!("{REQUESTS}{{listener=\"{listener}\",route=\"networks\",status=\"{status}\"}}")
    }

    fn bucket(route: &str, bound: &str) -> String {
        format!("{SECONDS}{{listener=\"base\",route=\"{route}\",le=\"{bound}\"}}")
    }

    #[test]
    fn a_step_counts_what_is_new_in_each_series() {
        let job = |outcome: &str| format!("{JOBS}{{plugin=\"acme\",network=\"polygon\",outcome=\"{outcome}\"}}");
        let partial = format!("{PARTIAL}{{route=\"networks\"}}");
        let rows = |n: u64| {
            text(&[
                (&requests("base", 200), 10 * n),
                (&requests("claimables", 404), 2 * n),
                (&requests("base", 503), n),
                (&requests("operators", 200), 1000 * n),
                (&partial, 3 * n),
                (&job("ok"), 7 * n),
                (&job("not-covered"), 5 * n),
                (&job("deadline"), 2 * n),
                ("portolan_ready", 1),
                ("process_cpu_seconds_total", 1),
            ])
        };
        let mut counters = Counters::default();
        let expected = |n: u64| StepCounts {
            answers: 13 * n,
            problems: 3 * n,
            partial: 3 * n,
            jobs: 14 * n,
            job_failures: 2 * n,
            ..StepCounts::default()
        };
        assert_eq!(counters.step(&rows(4)), expected(4));
        assert_eq!(counters.step(&rows(9)), expected(5));
        assert_eq!(counters.step(&rows(9)), expected(0));
        assert_eq!(counters.0.len(), 7, "what no figure is made of is not remembered");
    }

    #[test]
    fn a_series_that_is_counted_anew_begins_at_zero_and_hides_no_other() {
        let (mut counters, [ok, gone]) = (Counters::default(), [200, 404].map(|status| requests("base", status)));
        counters.step(&text(&[(&ok, 100), (&gone, 50)]));
        assert_eq!(counters.step(&text(&[(&ok, 110)])).answers, 10, "one was dropped");
        let step = counters.step(&text(&[(&ok, 110), (&gone, 3)]));
        assert_eq!((step.answers, step.problems), (3, 3));
        assert_eq!(counters.step(&text(&[(&ok, 4), (&gone, 3)])).answers, 4);
    }

    #[test]
    fn quantiles_are_those_of_prometheus() {
        let mut counters = Counters::default();
        let rows = [("0.001", 10), ("0.01", 90), ("0.1", 100), ("+Inf", 100)];
        let step = |counters: &mut Counters, rows: &[(&str, u64)]| {
            let rows: Vec<_> =
                rows.iter().flat_map(|(le, n)| ["a", "b"].map(|route| (bucket(route, le), *n))).collect();
            counters.step(&text(&rows.iter().map(|(series, n)| (series.as_str(), *n)).collect::<Vec<_>>()))
        };
        // Of two hundred, the hundredth is the 80th of 160 in the bucket from 1 to 10 ms; 198 is the 18th of 20 in the next.
        let found = step(&mut counters, &rows);

        assert!((found.p50_ms.unwrap() - 5.5).abs() < 1e-9 && (found.p99_ms.unwrap() - 91.0).abs() < 1e-9, "{found:?}");
        assert_eq!(step(&mut counters, &rows), StepCounts::default(), "without an answer there is none");
        // All new ones are slower than any bound.
        let rows = [("0.001", 10), ("0.01", 90), ("0.1", 100), ("+Inf", 107)];
        assert_eq!(step(&mut counters, &rows).p50_ms, Some(100.0));
    }

    #[test]
    fn figures_have_the_names_of_the_listeners_contract() {
        let counted = StepCounts { p50_ms: Some(1.23456), ..StepCounts::default() };
        let json = String::from_utf8(output::json(&counted).unwrap()).unwrap();
        let expected = r#"{"answers":0,"problems":0,"partial":0,"p50Ms":1.23,"p99Ms":null,"jobs":0,"jobFailures":0}"#;
        assert_eq!(json, expected);
    }
}
