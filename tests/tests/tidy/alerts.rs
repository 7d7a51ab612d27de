//! The alerts that operators start from: what each is of, and for whom.

use std::fs;

use portolan_tests::build::workspace;

use crate::assert_none;

/// The severities of alerts that wake a person, and of those that wait until morning.
const SEVERITIES: [&str; 2] = ["critical", "warning"];
const AGGREGATIONS: [&str; 5] = ["sum", "max", "min", "avg", "count"];

/// The name, and the lines below it.
fn alerts() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(workspace().join("examples/monitoring/alerts.yml")).unwrap();
    let alerts = text.split("- alert: ").skip(1).map(|alert| {
        let (name, rest) = alert.split_once('\n').unwrap();
        (name.to_owned(), rest.lines().map(|line| line.trim().to_owned()).collect())
    });
    alerts.collect()
}

fn expression(lines: &[String]) -> &str {
    lines.iter().find_map(|line| line.strip_prefix("expr: ")).unwrap()
}

/// The words of an expression, each with what follows it.
fn words(expression: &str) -> Vec<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let ends = expression
        .char_indices()
        .filter(|(at, c)| is_part(*c) && !expression[at + c.len_utf8()..].starts_with(is_part));
    let word = |(at, c): (usize, char)| {
        let (before, after) = expression.split_at(at + c.len_utf8());
        (&before[before.rfind(|c| !is_part(c)).map_or(0, |space| space + 1)..], after)
    };
    ends.map(word).collect()
}

#[test]
fn each_alert_has_a_severity_and_holds_for_each_gateway_alone() {
    let alerts = alerts();
    assert!(alerts.len() > 10, "{} alerts: the file is read wrongly", alerts.len());
    let is_ranked = |lines: &[String]| {
        let severity = lines.iter().find_map(|line| line.strip_prefix("severity: "));
        severity.is_some_and(|severity| SEVERITIES.contains(&severity))
    };
    let unranked = alerts.iter().filter(|(_, lines)| !is_ranked(lines)).map(|(name, _)| name.clone());
    assert_none("an alert has one of the severities", unranked);
    // A sum over gateways hides the one that fails.
    let is_mixed = |(word, after): (&str, &str)| AGGREGATIONS.contains(&word) && !after.starts_with(" by (instance");
    let mixed = alerts.iter().filter(|(_, lines)| words(expression(lines)).into_iter().any(is_mixed));
    assert_none("an alert is by instance", mixed.map(|(name, _)| name.clone()));
}

#[test]
fn alerts_are_of_metrics_that_there_are() {
    let metrics = fs::read_to_string(workspace().join("host/src/http/admin/metrics.rs")).unwrap();
    let unknown = alerts().into_iter().flat_map(|(name, lines)| {
        let words = words(expression(&lines)).into_iter().map(|(word, _)| word);
        let named = words.filter(|word| word.starts_with("portolan_"));
        let named = named.map(|word| word.strip_suffix("_bucket").unwrap_or(word));
        let unknown = named.filter(|word| !metrics.contains(&format!("\"{word}\"")));
        unknown.map(|word| format!("{name}: {word}")).collect::<Vec<_>>()
    });
    assert_none("an alert names metrics of the gateway", unknown);
}
