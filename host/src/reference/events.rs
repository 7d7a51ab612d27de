//! The page of event types.

use portolan_events::KINDS;

use super::{assert_generated, table};

#[test]
fn the_page_has_each_type_with_its_members() {
    let code = |name: &&str| format!("`{name}`");
    let row = |(kind, members): &(&str, &[&str])| [code(kind), members.iter().map(code).collect::<Vec<_>>().join(", ")];
    assert_generated("docs/reference/events.md", "types", &table(["type", "members"], KINDS.iter().map(row)));
}
