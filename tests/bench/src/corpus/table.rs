//! The scores of all answers: counted by type and network, and held against the bars.

use std::collections::{BTreeMap, BTreeSet};

use super::files::Transaction;
use super::score::{Judgement, Tier};

/// So many of a hundred rows of protocols must be right, by rows and averaged by transaction.
const PROTOCOL_PERCENT_MIN: f64 = 85.0;

/// Right ones and all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    right: u32,
    all: u32,
}

impl Count {
    fn add(&mut self, is_right: bool) {
        self.right += u32::from(is_right);
        self.all += 1;
    }

    /// All of nothing is right.
    fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { 100.0 * f64::from(self.right) / f64::from(self.all) }
    }
}

#[derive(Debug, Default)]
pub(super) struct Table {
    counts: BTreeMap<(Tier, String), BTreeMap<String, Count>>,
    /// The shares of right protocol rows, by transaction that has some.
    shares: Vec<f64>,
}

impl Table {
    /// Adds the verdicts on a transaction; a line for each that is wrong.
    pub(super) fn add(&mut self, transaction: &Transaction, verdicts: &[Judgement]) -> Vec<String> {
        let mut own = Count::default();
        let mut wrong = Vec::new();
        for Judgement { tier, kind, place, wrong: fault } in verdicts {
            let networks = self.counts.entry((*tier, kind.clone())).or_default();
            networks.entry(transaction.network.clone()).or_default().add(fault.is_none());
            if *tier == Tier::Protocol {
                own.add(fault.is_none());
            }
            let line =
                |fault: &String| format!("{tier:?}: {} {} {place}: {fault}", transaction.network, transaction.hash);
            wrong.extend(fault.as_ref().map(line));
        }
        self.shares.extend((own.all > 0).then(|| own.percent()));
        wrong
    }

    /// The table, and what it comes to.
    pub(super) fn lines(&self) -> Vec<String> {
        let networks: BTreeSet<&String> = self.counts.values().flat_map(BTreeMap::keys).collect();
        let row = |tier: &str, kind: &str, cells: &mut dyn Iterator<Item = String>, all: &str| {
            let cells: String = cells.map(|cell| format!("{cell:>11}")).collect();
            format!("{tier:<9} {kind:<33}{cells}{all:>11}")
        };
        let mut lines = vec![row("tier", "type", &mut networks.iter().map(|name| (*name).clone()), "all")];
        for ((tier, kind), counts) in &self.counts {
            let cell =
                |count: Option<&Count>| count.map(|Count { right, all }| format!("{right}/{all}")).unwrap_or_default();
            let all = sum(counts.values());
            let mut cells = networks.iter().map(|name| cell(counts.get(*name)));
            lines.push(row(&format!("{tier:?}"), kind, &mut cells, &cell(Some(&all))));
        }
        let Count { right, all } = self.of(Tier::Core);
        lines.push(format!("core: {right} of {all}, {:.2} %; the bar is 100 %", self.of(Tier::Core).percent()));
        let (rows, average) = (self.of(Tier::Protocol), self.average());
        lines.push(format!(
            "protocol: {} of {}, {:.2} %; {average:.2} % averaged over {} transactions; the bar is {PROTOCOL_PERCENT_MIN} %",
            rows.right, rows.all, rows.percent(), self.shares.len()
        ));
        lines.push(format!("mistold: {}; the bar is 0", self.of(Tier::Mistold).all));
        lines
    }

    /// Whether all bars are met.
    pub(super) fn is_enough(&self) -> bool {
        let core = self.of(Tier::Core);
        core.right == core.all
            && self.of(Tier::Mistold).all == 0
            && self.of(Tier::Protocol).percent().min(self.average()) >= PROTOCOL_PERCENT_MIN
    }

    fn of(&self, tier: Tier) -> Count {
        sum(self.counts.iter().filter(|((own, _), _)| *own == tier).flat_map(|(_, counts)| counts.values()))
    }

    fn average(&self) -> f64 {
        match u32::try_from(self.shares.len()) {
            Ok(0) | Err(_) => 100.0,
            Ok(count) => self.shares.iter().sum::<f64>() / f64::from(count),
        }
    }
}

fn sum<'a>(counts: impl Iterator<Item = &'a Count>) -> Count {
    counts.fold(Count::default(), |sum, count| Count { right: sum.right + count.right, all: sum.all + count.all })
}
