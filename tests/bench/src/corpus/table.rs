//! The scores of all answers: counted by type and network, held against the bars, and the causes of failures.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::Event;
use super::failure::{self, Failure};
use super::files::{Corpus, Transaction};
use super::judgement::{Judgement, Tier};
use super::misnamed;

/// So many of a hundred rows of protocols must be right.
const PROTOCOL_ROWS_PERCENT_MIN: f64 = 98.0;
/// So many must be, averaged over transactions.
const PROTOCOL_AVERAGE_PERCENT_MIN: f64 = 97.0;
/// So many of a hundred transactions must have every leg of the wallet told.
const WALLET_PERCENT_MIN: f64 = 90.0;
/// Causes beyond so many are in the file of failures alone.
const CAUSES_MAX: usize = 60;

/// Right ones and all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    right: usize,
    all: usize,
}

impl Count {
    fn of(right: impl IntoIterator<Item = bool>) -> Self {
        right.into_iter().fold(Self::default(), |sum, is_right| sum + Self { right: is_right.into(), all: 1 })
    }

    /// All of nothing is right.
    fn percent(self) -> f64 {
        let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        if self.all == 0 { 100.0 } else { 100.0 * count(self.right) / count(self.all) }
    }

    fn line(self) -> String {
        format!("{} of {}, {:.2} %", self.right, self.all, self.percent())
    }
}

impl std::ops::Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { right: self.right + other.right, all: self.all + other.all }
    }
}

impl std::iter::Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), std::ops::Add::add)
    }
}

#[derive(Debug, Default)]
pub(super) struct Table {
    counts: BTreeMap<(Tier, String), BTreeMap<String, Count>>,
    /// The share of right rows of each transaction that has protocol rows.
    protocol_shares: Vec<f64>,
    /// Transactions with legs; right where each is told.
    wallets: Count,
    /// Rows whose protocol is known; right where it is named.
    named: Count,
    /// Logs that are neither told nor bookkeeping, logs that are not bookkeeping, and all.
    undecoded: [usize; 3],
    /// How often a failure has a cause.
    causes: BTreeMap<[String; 5], usize>,
}

impl Table {
    /// Adds the judgements on a transaction; its failures.
    pub(super) fn add(
        &mut self,
        corpus: &Corpus,
        mined: &Transaction,
        events: &[Event],
        judgements: &[Judgement],
    ) -> Vec<Failure> {
        for judgement in judgements {
            let networks = self.counts.entry((judgement.tier, judgement.kind.clone())).or_default();
            let count = networks.entry(mined.network.clone()).or_default();
            *count = *count + Count::of([judgement.wrong.is_none()]);
        }
        let of = |tier: Tier| {
            Count::of(
                judgements.iter().filter(|judgement| judgement.tier == tier).map(|judgement| judgement.wrong.is_none()),
            )
        };
        let (protocol, wallet) = (of(Tier::Protocol), of(Tier::Wallet));
        self.protocol_shares.extend((protocol.all > 0).then(|| protocol.percent()));
        self.wallets = self.wallets + Count::of((wallet.all > 0).then_some(wallet.right == wallet.all));
        let (right, all) = misnamed::named(mined, events);
        self.named = self.named + Count { right, all };
        let undecoded = failure::undecoded(corpus, mined, events);
        let telling = mined.logs.iter().filter(|log| !corpus.is_bookkeeping(mined, log)).count();
        for (sum, more) in self.undecoded.iter_mut().zip([undecoded.len(), telling, mined.logs.len()]) {
            *sum += more;
        }
        let wrong = judgements.iter().filter_map(|judgement| failure::of(mined, events, judgement));
        let failures: Vec<Failure> = wrong.chain(undecoded).collect();
        for failure in &failures {
            let topic = failure.topic.clone().unwrap_or_default();
            let what = format!("{} {}", failure.kind, failure.family);
            let cause = [failure.tier.to_owned(), what, failure.event.clone(), topic, failure.lacks.clone()];
            *self.causes.entry(cause).or_default() += 1;
        }
        failures
    }

    /// The table, the causes of failures, and what it all comes to.
    pub(super) fn lines(&self) -> Vec<String> {
        [self.cells(), self.causes(), self.sums()].concat()
    }

    fn cells(&self) -> Vec<String> {
        let networks: BTreeSet<&String> = self.counts.values().flat_map(BTreeMap::keys).collect();
        let row = |tier: &str, kind: &str, cells: &mut dyn Iterator<Item = String>, all: &str| {
            let cells: String = cells.map(|cell| format!("{cell:>10}")).collect();
            format!("{tier:<9} {kind:<40.40}{cells}{all:>11}")
        };
        let cell =
            |count: Option<&Count>| count.map(|count| format!("{}/{}", count.right, count.all)).unwrap_or_default();
        let mut lines = vec![row("tier", "type", &mut networks.iter().map(|name| (*name).clone()), "all")];
        for ((tier, kind), counts) in &self.counts {
            let all: Count = counts.values().copied().sum();
            let mut cells = networks.iter().map(|name| cell(counts.get(*name)));
            lines.push(row(tier.name(), kind, &mut cells, &cell(Some(&all))));
        }
        lines
    }

    /// The most frequent of each tier first.
    fn causes(&self) -> Vec<String> {
        let mut causes: Vec<(&[String; 5], usize)> = self.causes.iter().map(|(cause, count)| (cause, *count)).collect();
        causes.sort_by_key(|([tier, ..], count)| (tier.as_str(), std::cmp::Reverse(*count)));
        let tiers = causes.chunk_by(|(one, _), (other, _)| one[0] == other[0]);
        let most = tiers.flat_map(|causes| causes.iter().take(CAUSES_MAX));
        let line = |([tier, what, event, topic, lacks], count): &(&[String; 5], usize)| {
            format!("{count:>4} {tier}: {what}; {event} {topic}; lacks {lacks}")
        };
        most.map(line).collect()
    }

    fn sums(&self) -> Vec<String> {
        let (rows, wallets) = (self.of(Tier::Protocol), self.wallets);
        let mut lines = vec![
            format!("core: {}; the bar is 100 %", self.of(Tier::Core).line()),
            format!("protocol: {}; the bar is {PROTOCOL_ROWS_PERCENT_MIN} %", rows.line()),
            format!(
                "protocol, averaged over {} transactions: {:.2} %; the bar is {PROTOCOL_AVERAGE_PERCENT_MIN} %",
                self.protocol_shares.len(),
                self.protocol_average()
            ),
            format!("wallet, by transactions: {}; the bar is {WALLET_PERCENT_MIN} %", wallets.line()),
            format!("wallet, by legs: {}", self.of(Tier::Wallet).line()),
        ];
        let never = [Tier::Mistold, Tier::Misnamed, Tier::Double];
        lines.extend(never.map(|tier| format!("{}: {}; the bar is 0", tier.name(), self.of(tier).all)));
        let [undecoded, telling, logs] = self.undecoded;
        lines.push(format!(
            "neither told nor bookkeeping: {} of all logs",
            Count { right: undecoded, all: logs }.line()
        ));
        lines.push(format!(
            "not told: {} of those that are not bookkeeping",
            Count { right: undecoded, all: telling }.line()
        ));
        lines.push(format!("known protocols that are named: {}", self.named.line()));
        lines
    }

    /// Returns true if a tier meets its bar.
    pub(super) fn is_met(&self, tier: Tier) -> bool {
        let Count { right, all } = self.of(tier);
        match tier {
            Tier::Protocol => {
                self.of(tier).percent() >= PROTOCOL_ROWS_PERCENT_MIN
                    && self.protocol_average() >= PROTOCOL_AVERAGE_PERCENT_MIN
            }
            Tier::Wallet => self.wallets.percent() >= WALLET_PERCENT_MIN,
            // Of the tiers that are never right, any judgement is one too many.
            Tier::Core | Tier::Mistold | Tier::Misnamed | Tier::Double => right == all,
        }
    }

    /// Returns true if all tiers meet their bars.
    pub(super) fn is_enough(&self) -> bool {
        Tier::ALL.iter().all(|tier| self.is_met(*tier))
    }

    fn of(&self, tier: Tier) -> Count {
        self.counts.iter().filter(|((own, _), _)| *own == tier).flat_map(|(_, counts)| counts.values()).copied().sum()
    }

    fn protocol_average(&self) -> f64 {
        match u32::try_from(self.protocol_shares.len()) {
            Ok(0) | Err(_) => 100.0,
            Ok(count) => self.protocol_shares.iter().sum::<f64>() / f64::from(count),
        }
    }
}
