//! The page of partial reasons.

use super::{assert_generated, table};
use crate::jobs::failure::Reason;

#[test]
fn the_page_has_each_reason() {
    let head = ["reason", "what happened", "what a client can do", "what an operator can do"];
    let row = |reason: Reason| {
        let text = reason.text();
        [format!("`{}`", text.word), text.happened.to_owned(), text.client.to_owned(), text.operator.to_owned()]
    };
    assert_generated("docs/reference/reasons.md", "reasons", &table(head, Reason::ALL.map(row)));
}
