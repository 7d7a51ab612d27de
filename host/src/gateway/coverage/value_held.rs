//! What the largest protocols hold on each network, and which of it this gateway answers about.
//!
//! Invariants: dollars are those of the list in `value_held.csv`. What is answered follows from the catalogues of
//! instances in service. A protocol counts as a whole only if a deployment that holds its value has the question that
//! is about this value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use portolan_abi::Question;
use portolan_abi::map::Deployment;
use portolan_base::network::{Network, Networks};
use portolan_plugins::Snapshot;

use crate::gateway::answer::{HeldValue, NetworkValue, Reach};

/// Day of the list.
pub(crate) const DATE: &str = "2026-10-04";

/// Where the list is stored.
pub(crate) const SOURCE: &str = "https://github.com/crypto-data-cc/data/blob/054a109c5358790a67c02fed0ffac40c313c3afd/data/raw/defillama_protocols.json";

/// Questions about an account.
const OF_ACCOUNTS: [Question; 5] =
    [Question::CLAIMABLES, Question::FARMING, Question::LENDING, Question::POOLING, Question::LOCKED];

/// What has a slug and no deployment that holds its value.
const NOT_BUILT: &str = "not built";

static LISTED: LazyLock<BTreeMap<&str, Listed>> = LazyLock::new(|| {
    lines(include_str!("listed_protocols.csv")).filter_map(Listed::of).map(|listed| (listed.slug, listed)).collect()
});

/// Chain id, slug and thousand dollars, in the order of the list.
static HELD: LazyLock<Vec<(u64, &str, u64)>> =
    LazyLock::new(|| lines(include_str!("value_held.csv")).filter_map(held).collect());

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

fn held(line: &'static str) -> Option<(u64, &'static str, u64)> {
    let (chain_id, rest) = line.split_once(',')?;
    let (slug, thousands) = rest.split_once(',')?;
    Some((chain_id.parse().ok()?, slug, thousands.parse().ok()?))
}

/// A protocol of the list.
#[derive(Debug)]
struct Listed {
    /// `DefiLlama`'s slug.
    slug: &'static str,
    name: &'static str,
    /// The slug in catalogues; `None` for a protocol that no plugin serves.
    served: Option<&'static str>,
    markets: Vec<&'static str>,
    questions: Vec<Question>,
    is_whole: bool,
    reason: &'static str,
}

impl Listed {
    fn of(line: &'static str) -> Option<Self> {
        let [slug, name, _category, served, markets, questions, extent, reason] =
            <[&str; 8]>::try_from(line.split(',').collect::<Vec<_>>()).ok()?;
        Some(Self {
            slug,
            name,
            served: (!served.is_empty()).then_some(served),
            markets: markets.split_whitespace().collect(),
            questions: questions.split_whitespace().map(Question::by_name).collect::<Option<_>>()?,
            is_whole: extent == "whole",
            reason,
        })
    }

    fn holds(&self, market: &str) -> bool {
        self.markets.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => market.starts_with(start),
            None => market == *name,
        })
    }

    /// Returns what the deployments of one network answer about accounts, and how much of the value it is.
    fn reach<'a>(&self, deployments: impl Iterator<Item = &'a Deployment>) -> (Reach, BTreeSet<Question>) {
        let of_value = deployments.filter(|row| self.holds(&row.market)).flat_map(|row| row.questions.iter().copied());
        let answered: BTreeSet<Question> = of_value.filter(|question| OF_ACCOUNTS.contains(question)).collect();
        let reach = match answered.is_empty() {
            true => Reach::Nothing,
            false if self.is_whole && self.questions.iter().any(|question| answered.contains(question)) => Reach::Whole,
            false => Reach::Part,
        };
        (reach, answered)
    }
}

/// Returns the listed networks that the gateway knows, in its order, each with its protocols in the order of the list.
pub(super) fn networks(snapshot: &Snapshot, networks: &Networks) -> Vec<NetworkValue> {
    let mut deployments: BTreeMap<(&str, u64), Vec<&Deployment>> = BTreeMap::new();
    for row in snapshot.event_sources().flat_map(|served| served.deployments()) {
        deployments.entry((row.protocol.as_str(), row.chain_id)).or_default().push(row);
    }
    let value = |chain_id: u64, slug: &str, thousands: u64| {
        let listed = LISTED.get(slug)?;
        let served = listed.served.and_then(|served| deployments.get(&(served, chain_id)));
        let (reach, questions) = listed.reach(served.into_iter().flatten().copied());
        let reason = if listed.reason.is_empty() { NOT_BUILT } else { listed.reason };
        Some(HeldValue {
            name: listed.name,
            listed: listed.slug,
            slug: listed.served.filter(|_| reach != Reach::Nothing),
            dollars: thousands * 1_000,
            reach,
            questions: questions.into_iter().collect(),
            reason: (reach == Reach::Nothing).then_some(reason),
        })
    };
    let of_network = |network: &Arc<Network>| {
        let rows = HELD.iter().filter(|(chain_id, ..)| *chain_id == network.chain_id);
        let protocols: Vec<HeldValue> =
            rows.filter_map(|(chain_id, slug, held)| value(*chain_id, slug, *held)).collect();
        (!protocols.is_empty()).then(|| NetworkValue { network: Arc::clone(network), protocols })
    };
    networks.iter().filter_map(of_network).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(market: &str, questions: &[Question]) -> Deployment {
        Deployment { market: market.to_owned(), questions: questions.to_vec(), ..Deployment::default() }
    }

    fn reach(slug: &str, deployments: &[Deployment]) -> (Reach, usize) {
        let (reach, questions) = LISTED[slug].reach(deployments.iter());
        (reach, questions.len())
    }

    #[test]
    fn every_line_of_both_tables_is_read() {
        assert_eq!(LISTED.len(), lines(include_str!("listed_protocols.csv")).count());
        assert_eq!(HELD.len(), lines(include_str!("value_held.csv")).count());
        for (chain_id, slug, _) in HELD.iter() {
            assert!(LISTED.contains_key(slug), "{chain_id} {slug}");
        }
        for listed in LISTED.values() {
            let has_markets = !listed.markets.is_empty() && !listed.questions.is_empty();
            assert_eq!(listed.served.is_some(), has_markets && listed.reason.is_empty(), "{listed:?}");
        }
        assert!(include_str!("value_held.csv").contains(DATE));
    }

    #[test]
    fn networks_have_at_most_fifty_rows_and_the_largest_first() {
        for rows in HELD.chunk_by(|one, other| one.0 == other.0) {
            assert!(rows.len() <= 50 && rows.is_sorted_by_key(|(.., held)| u64::MAX - held), "{rows:?}");
        }
    }

    #[test]
    fn a_stake_in_a_gauge_is_a_part_of_what_pools_hold() {
        let gauges = deployment("old", &[Question::FARMING, Question::CLAIMABLES]);
        assert_eq!(reach("curve-dex", std::slice::from_ref(&gauges)), (Reach::Part, 2));
        let shares = deployment("shares", &[Question::POOLING, Question::COMPOSITION]);
        assert_eq!(reach("curve-dex", &[gauges, shares]), (Reach::Whole, 3));
    }

    #[test]
    fn pairs_of_some_tokens_are_a_part_of_what_all_pairs_hold() {
        let pairs = deployment("liquidity", &[Question::POOLING]);
        assert_eq!(reach("uniswap-v2", &[pairs]), (Reach::Part, 1));
    }

    #[test]
    fn events_and_other_markets_are_not_about_the_value() {
        assert_eq!(reach("uniswap-v3", &[deployment("pools", &[Question::EVENTS])]), (Reach::Nothing, 0));
        assert_eq!(reach("aave-horizon-rwa", &[deployment("main", &[Question::LENDING])]), (Reach::Nothing, 0));
        assert_eq!(reach("gmx-v2-perps", &[deployment("synthetics", &[Question::POOLING])]), (Reach::Whole, 1));
        assert_eq!(reach("ethena-usde", &[deployment("main", &[Question::FARMING])]), (Reach::Part, 1));
    }
}
