//! The page of problems.

use std::collections::BTreeMap;

use super::{assert_generated, table};
use crate::http::problem_types::{PROBLEM_TYPES, ProblemType};

const PAGE: &str = "docs/reference/problems.md";

#[test]
fn the_page_has_a_section_for_each_problem_and_a_table_by_status() {
    let mut by_status = BTreeMap::<u16, Vec<&str>>::new();
    for kind in PROBLEM_TYPES {
        kind.statuses.iter().for_each(|status| by_status.entry(status.as_u16()).or_default().push(kind.name));
    }
    let link = |name: &&str| format!("[{name}](#{name})");
    let row =
        |(status, names): (u16, Vec<&str>)| [status.to_string(), names.iter().map(link).collect::<Vec<_>>().join(", ")];
    assert_generated(PAGE, "statuses", &table(["status", "problems"], by_status.into_iter().map(row)));
    let sections: Vec<String> = PROBLEM_TYPES.into_iter().map(section).collect();
    assert_generated(PAGE, "problems", &sections.join("\n"));
}

fn section(ProblemType { name, statuses, happened, remedy, .. }: &ProblemType) -> String {
    let statuses = statuses.iter().map(|status| status.as_u16().to_string()).collect::<Vec<_>>().join(", ");
    format!("## {name}\n\n**{statuses}.** {happened}\n\n{remedy}\n")
}
