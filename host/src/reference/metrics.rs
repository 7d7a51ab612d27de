//! The page of metrics.

use super::{assert_generated, read, table};
use crate::http::admin::metrics::{METRICS, Metric};

/// Returns the alerts with their expressions.
fn alerts(file: &str) -> Vec<(&str, &str)> {
    let each = file.split("- alert: ").skip(1).map(|alert| {
        let (name, rest) = alert.split_once('\n').unwrap();
        let (_, expression) = rest.split_once("expr: ").unwrap();
        (name, expression.lines().next().unwrap())
    });
    each.collect()
}

/// Returns true if an expression has a metric, by its name or as one of its series.
fn uses(expression: &str, name: &str) -> bool {
    let is_end = |after: &str| {
        let after = after.strip_prefix("_bucket").or_else(|| after.strip_prefix("_count")).unwrap_or(after);
        !after.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_')
    };
    expression.match_indices(name).any(|(at, _)| is_end(&expression[at + name.len()..]))
}

#[test]
fn the_page_has_each_metric_with_its_alerts() {
    let file = read("../examples/monitoring/alerts.yml");
    let alerts = alerts(&file);
    assert!(alerts.len() > 10, "{alerts:?}");
    let code = |name: &&str| format!("`{name}`");
    let row = |Metric { name, kind, unit, labels, meaning }: &Metric| {
        let used = alerts.iter().filter(|(_, expression)| uses(expression, name)).map(|(alert, _)| code(alert));
        let kind = [kind.as_str(), unit].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
        let labels = labels.iter().map(code).collect::<Vec<_>>().join(", ");
        [code(name), kind, labels, (*meaning).to_owned(), used.collect::<Vec<_>>().join(", ")]
    };
    let head = ["metric", "kind, unit", "labels", "meaning", "alert"];
    assert_generated("docs/reference/metrics.md", "metrics", &table(head, METRICS.iter().map(row)));
}

#[test]
fn a_metric_is_used_under_its_whole_name() {
    assert!(uses("sum by (le) (rate(portolan_x_bucket[5m]))", "portolan_x"));
    assert!(uses("portolan_x > 1", "portolan_x"));
    assert!(!uses("portolan_x_max > 1", "portolan_x"));
}
