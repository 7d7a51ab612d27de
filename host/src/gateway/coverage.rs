//! What is covered: the questions that each served protocol answers, by network.
//!
//! Invariant: rows state what the catalogues of instances in service declare, and nothing else.

pub(crate) mod value_held;

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_abi::Question;
use portolan_base::network::Networks;
use portolan_plugins::{Served, Snapshot};

use crate::gateway::answer::{Coverage, CoverageRow};

/// Returns what this gateway covers.
pub(super) fn of(snapshot: &Snapshot, networks: &Networks) -> Coverage {
    Coverage { rows: rows(snapshot, networks), value_held: value_held::networks(snapshot, networks) }
}

/// Returns the rows, ordered by protocol, network and question. Two plugins may have a row each for the events of one
/// protocol.
fn rows(snapshot: &Snapshot, networks: &Networks) -> Vec<CoverageRow> {
    let mut rows: Vec<CoverageRow> =
        snapshot.event_sources().flat_map(|served| of_protocol(served, networks)).collect();
    let place = |row: &CoverageRow| (networks.position(row.network.chain_id), row.question);
    rows.sort_by(|one, other| one.protocol.slug.cmp(&other.protocol.slug).then_with(|| place(one).cmp(&place(other))));
    rows
}

fn of_protocol<'a>(served: &'a Served, networks: &'a Networks) -> impl Iterator<Item = CoverageRow> + use<'a> {
    let catalogue = &served.instance.catalogue;
    let lists_events = catalogue.deployments.iter().any(|row| row.questions.contains(&Question::EVENTS));
    // A plugin that decodes the events of all its deployments need not list the question.
    let unlisted = (served.instance.decodes_events() && !lists_events).then_some(Question::EVENTS);
    let mut markets: BTreeMap<(u64, Question), usize> = BTreeMap::new();
    for row in served.deployments() {
        for question in row.questions.iter().copied().chain(unlisted) {
            *markets.entry((row.chain_id, question)).or_default() += 1;
        }
    }
    markets.into_iter().filter_map(|((chain_id, question), markets)| {
        Some(CoverageRow {
            protocol: Arc::clone(&served.protocol),
            network: Arc::clone(networks.with_chain_id(chain_id)?),
            question,
            plugin: Arc::clone(&served.instance.label),
            markets,
        })
    })
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;
    use portolan_abi::map::{Catalogue, Deployment, Protocol};
    use portolan_plugins::testing::ScriptedPlugin;

    use super::*;

    fn deployment(protocol: &str, chain_id: u64, market: &str, questions: &[Question]) -> Deployment {
        let (protocol, market) = (protocol.to_owned(), market.to_owned());
        Deployment { protocol, chain_id, market, questions: questions.to_vec(), ..Deployment::default() }
    }

    fn shown(name: &'static str, deployments: Vec<Deployment>, event_topics: Option<Vec<B256>>) -> Vec<String> {
        let protocol = |slug: &str| Protocol { slug: slug.to_owned(), ..Protocol::default() };
        let protocols = ["farm", "bank"].map(protocol).to_vec();
        let catalogue = Catalogue { protocols, deployments, event_topics, ..Catalogue::default() };
        let snapshot = Snapshot::of_test([Arc::new(ScriptedPlugin::new(name, catalogue).instance())]);
        let row = |row: CoverageRow| {
            let (protocol, network, question) = (&row.protocol.slug, &row.network.slug, row.question.name());
            format!("{protocol} {network} {question} {} {}", row.plugin, row.markets)
        };
        rows(&snapshot, &Networks::new([])).into_iter().map(row).collect()
    }

    #[test]
    fn markets_are_counted_by_protocol_network_and_question() {
        let deployments = vec![
            deployment("farm", 137, "main", &[Question::FARMING, Question::CLAIMABLES]),
            deployment("farm", 137, "old", &[Question::CLAIMABLES]),
            deployment("farm", 1, "main", &[Question::EVENTS]),
            deployment("bank", 10, "main", &[Question::LENDING]),
        ];
        let expected = [
            "bank optimism lending acme@1.0.0 1",
            "farm ethereum events acme@1.0.0 1",
            "farm polygon claimables acme@1.0.0 2",
            "farm polygon farming acme@1.0.0 1",
        ];
        assert_eq!(shown("acme", deployments, Some(vec![B256::ZERO])), expected);
    }

    #[test]
    fn a_plugin_that_decodes_events_without_listing_them_does_so_for_all_its_deployments() {
        let deployments = || vec![deployment("farm", 1, "main", &[Question::FARMING])];
        let farming = "farm ethereum farming acme@1.0.0 1";
        let both = [farming, "farm ethereum events acme@1.0.0 1"];
        assert_eq!(shown("acme", deployments(), Some(vec![B256::ZERO])), both);
        assert_eq!(shown("acme", deployments(), Some(Vec::new())), [farming]);
        assert_eq!(shown("acme", deployments(), None), [farming]);
    }
}
