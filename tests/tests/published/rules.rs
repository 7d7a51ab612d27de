//! What a new listing of an interface may differ in from the one before: it may have more.

use std::collections::BTreeSet;

use super::listing::Listing;

/// The rule, as a failure names it.
pub(crate) const RULE: &str = "the public interface of a published crate grows by additions alone";

/// What would break others: a sentence each.
pub(crate) fn breaks(before: &str, now: &Listing) -> Vec<String> {
    let before: BTreeSet<&str> = before.lines().collect();
    let texts: BTreeSet<&str> = now.texts().collect();
    let gone = before.difference(&texts).map(|line| format!("removed or changed: {line}"));
    let new = now.lines.iter().filter(|line| !before.contains(line.text.as_str()));
    let unfit = new.filter_map(|line| {
        let breaks = line.breaks.as_ref().filter(|breaks| before.contains(breaks.owner.as_str()))?;
        Some(format!("added: {}: {}", line.text, breaks.why))
    });
    gone.chain(unfit).collect()
}

/// A listing as it is committed.
pub(crate) fn text(listing: &Listing) -> String {
    listing.texts().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "
        pub trait Shape { const SIDES: u32; fn area(&self) -> u32; fn name(&self) -> u32 { 0 } }
        pub enum Closed { A }
        #[non_exhaustive] pub enum Open { A { x: u32 }, B }
        pub struct Plain { pub x: u32 }
        pub struct Literal { pub x: u32 }
        #[derive(Default)] pub struct Defaulted { pub x: u32 }
        pub struct Opaque { pub x: u32, y: u32 }
        pub fn free(x: u32) -> u32 { x }
        pub fn gone() {}
    ";

    /// Changes of the source that are additions.
    const ADDITIONS: [(&str, &str); 8] = [
        ("pub fn free", "pub fn more() {} pub fn free"),
        ("fn name", "fn provided(&self) {} fn name"),
        ("const SIDES", "const CORNERS: u32 = 0; const SIDES"),
        (" B }", " B, C }"),
        ("Defaulted { ", "Defaulted { pub z: u32, "),
        ("Opaque { ", "Opaque { pub z: u32, "),
        ("pub enum Closed", "pub enum Later { A, B } pub enum Closed"),
        ("pub trait Shape", "pub trait Newer { fn required(&self); } pub trait Shape"),
    ];

    /// Changes that break others, and how the sentence about each begins.
    const BREAKS: [(&str, &str, &str); 9] = [
        ("free(x: u32)", "free(x: u64)", "removed or changed: pub fn sample::free(u32) -> u32"),
        ("#[derive(Default)]", "", "removed or changed: impl core::default::Default for sample::Defaulted"),
        ("pub fn gone() {}", "", "removed or changed: pub fn sample::gone()"),
        ("struct Literal { ", "struct Literal { y: u32, ", "removed or changed: pub struct sample::Literal"),
        ("fn name", "fn required(&self); fn name", "added: pub fn sample::Shape::required(&self): types that"),
        ("const SIDES", "const CORNERS: u32; const SIDES", "added: pub const sample::Shape::CORNERS: u32: types that"),
        ("Closed { A }", "Closed { A, B }", "added: pub sample::Closed::B: a `match`"),
        ("A { x: u32 }", "A { x: u32, y: u32 }", "added: pub sample::Open::A::y: u32: whatever makes or matches"),
        ("Plain { ", "Plain { pub z: u32, ", "added: pub sample::Plain::z: u32: whatever makes the struct lacks"),
    ];

    /// What the rules say to a source in which each text stands for another.
    fn changed<'a>(changes: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
        let mut after = BEFORE.to_owned();
        for (from, to) in changes {
            assert_eq!(after.matches(from).count(), 1, "{from}");
            after = after.replace(from, to);
        }
        breaks(&text(&Listing::of_source(BEFORE)), &Listing::of_source(&after))
    }

    #[test]
    fn additions_pass() {
        assert_eq!(changed(ADDITIONS.into_iter()), [] as [String; 0]);
    }

    #[test]
    fn what_breaks_others_is_refused() {
        let refusals = changed(BREAKS.into_iter().map(|(from, to, _)| (from, to)));
        for (_, to, refusal) in BREAKS {
            assert!(refusals.iter().any(|sentence| sentence.starts_with(refusal)), "{to}: {refusals:#?}");
        }
    }
}
