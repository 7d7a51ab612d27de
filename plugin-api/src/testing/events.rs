//! Cases of events: logs that another encoder made, and what they must be decoded to.
//!
//! `X.cases.json` is written by hand; `X.logs.json` beside it has the same cases encoded, by `events.mjs` of this package.
//! The README has the format.
#![expect(clippy::panic, reason = "a table that decodes wrongly is the failure of the test that runs this")]

mod case;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alloy::primitives::B256;
use portolan_abi::map;
use portolan_fixtures::event_line;

use self::case::EventCase;
use self::text::differences;
use super::{End, FixtureError};
use crate::events::{Event, Kind, Table};
use crate::export::Exported;

/// The cases of a file.
///
/// ```
/// use portolan_plugin_api::export::Exported;
/// use portolan_plugin_api::testing::EventCases;
///
/// /// Every row of a table has a case, and every case is decoded as it says.
/// fn decodes<P: Exported>(table: &str) {
///     let cases = EventCases::load("events/acme.cases.json");
///     assert!(cases.check::<P>() > 0);
///     cases.cover(table);
/// }
/// ```
#[derive(Debug)]
pub struct EventCases {
    path: PathBuf,
    cases: Vec<EventCase>,
}

/// Properties of rows that a case cannot tell apart: section, type, first topic, number of topics.
type Likeness = (String, Kind, B256, usize);

impl EventCases {
    /// Reads `X.cases.json`, and `X.logs.json` beside it.
    ///
    /// # Panics
    /// If they are not there, or are not of the same cases.
    pub fn load(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let cases = case::load(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path: path.to_owned(), cases }
    }

    /// Runs the plugin on each case's transaction, and compares what it emits about the case's own log; how many cases
    /// there are.
    ///
    /// # Panics
    /// If it is anything else, or does not end complete.
    pub fn check<P: Exported>(&self) -> usize {
        self.each(|case| {
            let outcome = case.test().run::<P>(case);
            let own = outcome.events().into_iter().filter(|event| case.is_own(event)).map(event_line);
            let mut wrong = differences(&case.expected, own.collect());
            if outcome.end != End::Complete {
                wrong.push(format!("ended {:?}: {}", outcome.end, outcome.message));
            }
            wrong
        })
    }

    /// The same with a table alone, which knows no protocols.
    ///
    /// # Panics
    /// If it is anything else, or `table` is none.
    pub fn check_table(&self, table: &str) -> usize {
        let table = self.parsed(table);
        self.each(|case| {
            let own = case.decoded(&table).into_iter().map(|(event, _)| map::Event::from(event));
            let own = own.filter(|event| case.is_own(event)).map(|event| event_line(&event));
            differences(&case.expected, own.collect())
        })
    }

    /// Checks that every row of `table` decodes the own log of a case. Rows that differ only in their conditions and
    /// expressions need as many cases as they are.
    ///
    /// # Panics
    /// If one does not, or `table` is none.
    pub fn cover(&self, table: &str) {
        let table = self.parsed(table);
        let mut cases: BTreeMap<Likeness, usize> = BTreeMap::new();
        for case in &self.cases {
            let own = |(event, _): &(Event, String)| event.log == case.place;
            let Some((event, section)) = case.decoded(&table).into_iter().find(own) else { continue };
            let topics = &case.transaction.logs[case.place].topics;
            let Some(first) = topics.first() else { continue };
            *cases.entry((section, event.kind, *first, topics.len())).or_default() += 1;
        }
        let mut open = Vec::new();
        for row in table.rows() {
            let topics = 1 + row.signature().split(' ').filter(|word| *word == "indexed").count();
            match cases.get_mut(&(row.section().to_owned(), row.kind(), row.topic(), topics)) {
                Some(count) if *count > 0 => *count -= 1,
                _ => open.push(format!("line {}: {} {}", row.line(), row.kind().name(), row.signature())),
            }
        }
        assert!(open.is_empty(), "{}: no case of\n{}", self.path.display(), open.join("\n"));
    }

    fn each(&self, check: impl Fn(&EventCase) -> Vec<String>) -> usize {
        let lines = self.cases.iter().flat_map(|case| {
            check(case).into_iter().map(|wrong| format!("{:?}: {wrong}", case.title)).collect::<Vec<_>>()
        });
        let lines: Vec<String> = lines.collect();
        assert!(lines.is_empty(), "{}:\n{}", self.path.display(), lines.join("\n"));
        self.cases.len()
    }

    fn parsed(&self, table: &str) -> Table {
        Table::parse(table).unwrap_or_else(|error| panic!("{}: its table: {error}", self.path.display()))
    }
}

fn wrong(what: &'static str, text: &str) -> FixtureError {
    FixtureError::Value { what, text: text.to_owned() }
}
