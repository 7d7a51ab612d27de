//! Plans the jobs of a question from one snapshot of the registry: one job for each protocol and network. A question
//! about a transaction is one job for each plugin, because adjacent logs may form one event.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use alloy::primitives::{Address, B256};
use portolan_abi::map;
use portolan_base::network::{Network, Networks};
use portolan_plugins::protocol::Protocol;
use portolan_plugins::unavailable::{Unavailable, UnavailableWhy};
use portolan_plugins::{Instance, Served, Snapshot};

use crate::gateway::problem::Problem;
use crate::gateway::query::Filter;
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::plan::{JobPlan, JobQuestion, Question};
use crate::jobs::report::JobReport;

/// Jobs of an answer, and a report of each protocol that would have one but is not served.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    pub(super) jobs: Vec<JobPlan>,
    pub(super) unavailable: Vec<JobReport>,
}

impl Plans {
    /// Leaves out the other networks, if one is named.
    pub(super) fn on(mut self, chain_id: Option<u64>) -> Self {
        let is_meant = |network: &Network| chain_id.is_none_or(|chain_id| network.chain_id == chain_id);
        self.jobs.retain(|plan| is_meant(&plan.network));
        self.unavailable.retain(|report| is_meant(&report.network));
        self
    }
}

/// Plans jobs for all protocols that the filter selects, on all networks.
///
/// # Errors
/// Returns [`Problem::InvalidFilter`] if the filter names an unknown protocol.
pub(super) fn for_all(
    snapshot: &Snapshot,
    networks: &Networks,
    filter: &Filter,
    questions: &[Question],
    account: Address,
) -> Result<Plans, Problem> {
    let is_chosen = |is_named: &dyn Fn(&String) -> bool| match filter {
        Filter::All => true,
        Filter::Include(names) => names.iter().any(is_named),
        Filter::Exclude(names) => !names.iter().any(is_named),
    };
    if let Filter::Include(names) | Filter::Exclude(names) = filter {
        let is_known = |name: &String| {
            snapshot.iter().any(|served| names_protocol(name, &served.protocol))
                || snapshot.unavailable.iter().any(|unavailable| unavailable.is_named(name))
        };
        let unknown = names.iter().find(|name| !is_known(name));
        if let Some(unknown) = unknown {
            return Err(Problem::InvalidFilter(format!("{unknown} is not a protocol that is served here")));
        }
    }
    let served = snapshot.iter().filter(|served| is_chosen(&|name| names_protocol(name, &served.protocol)));
    let plans =
        served.flat_map(|served| questions.iter().flat_map(|question| jobs(served, networks, *question, account)));
    let unavailable = snapshot.unavailable.iter().filter(|unavailable| is_chosen(&|name| unavailable.is_named(name)));
    let unavailable = unavailable.flat_map(|unavailable| {
        let answered = |network: &&Arc<Network>| {
            let answered = |question: &Question| unavailable.answered(question.number(), network.chain_id);
            // An unavailable protocol's compositions are missing from the rows of other protocols.
            let has_compositions = unavailable.answered(portolan_abi::Question::COMPOSITION, network.chain_id);
            has_compositions || questions.iter().any(answered)
        };
        networks.iter().filter(answered).map(|network| report(unavailable, network)).collect::<Vec<_>>()
    });
    Ok(Plans { jobs: plans.collect(), unavailable: unavailable.collect() })
}

/// Returns the protocol with this slug.
///
/// # Errors
/// Returns [`Problem::UnknownProtocol`], or [`Problem::ProtocolUnavailable`] if the protocol is not served now.
pub(super) fn served<'a>(snapshot: &'a Snapshot, slug: &str) -> Result<&'a Served, Problem> {
    snapshot.served(slug).ok_or_else(|| not_served(unavailable(snapshot, slug), slug))
}

/// Returns the protocol with this slug that is not served now.
fn unavailable<'a>(snapshot: &'a Snapshot, slug: &str) -> Option<&'a Unavailable> {
    let mut unavailable = snapshot.unavailable.iter();
    unavailable.find(|unavailable| unavailable.protocol.as_ref().is_some_and(|own| own.slug == slug))
}

fn not_served(unavailable: Option<&Unavailable>, slug: &str) -> Problem {
    match unavailable {
        Some(unavailable) => {
            Problem::ProtocolUnavailable(format!("{slug} is {}: {}", why(unavailable).as_str(), unavailable.reason))
        }
        None => Problem::UnknownProtocol(format!("{slug} is not a protocol that is served here")),
    }
}

/// Plans jobs for one protocol, on all networks; none if no deployment answers the question.
///
/// # Errors
/// Returns [`Problem::UnknownProtocol`], or [`Problem::ProtocolUnavailable`] if the protocol is not served now.
pub(super) fn for_one(
    snapshot: &Snapshot,
    networks: &Networks,
    slug: &str,
    question: Question,
    account: Address,
) -> Result<Plans, Problem> {
    let unavailable = unavailable(snapshot, slug);
    let is_missed = |unavailable: &Unavailable| {
        networks.iter().any(|network| unavailable.answered(question.number(), network.chain_id))
    };
    // A slug may be served and unavailable at once, if another plugin decodes only its events.
    if let Some(served) = snapshot.served(slug).filter(|_| !unavailable.is_some_and(is_missed)) {
        let jobs = jobs(served, networks, question, account);
        return Ok(Plans { jobs, unavailable: Vec::new() });
    }
    Err(not_served(unavailable, slug))
}

fn why(unavailable: &Unavailable) -> Reason {
    match unavailable.why {
        UnavailableWhy::Rejected => Reason::Rejected,
        UnavailableWhy::Quarantined => Reason::Quarantined,
        UnavailableWhy::Disabled => Reason::Disabled,
    }
}

fn report(unavailable: &Unavailable, network: &Arc<Network>) -> JobReport {
    let failure = Failure::new(why(unavailable), unavailable.reason.clone());
    JobReport::blank(unavailable.subject(), network).failed(failure)
}

/// Plans jobs about the compositions of a network's tokens, in the order of slugs.
pub(super) fn for_tokens(snapshot: &Snapshot, network: &Arc<Network>, tokens: &[Address]) -> Vec<JobPlan> {
    let question = JobQuestion::Tokens(tokens.into());
    let answering = snapshot.iter().filter(|served| served.answers(question.number(), network.chain_id));
    answering.map(|served| job(served, network, &question, Address::ZERO)).collect()
}

/// Plans one job for each plugin that decodes any of these first topics, in the order of the plugins' names, and a
/// report for each such plugin that is not served.
pub(super) fn for_transaction(
    snapshot: &Snapshot,
    network: &Arc<Network>,
    topics: &HashSet<B256>,
    transaction: &Arc<map::Transaction>,
) -> Plans {
    let instances = snapshot.event_sources().map(|served| (served.instance.name(), &served.instance));
    let instances: BTreeMap<&str, &Arc<Instance>> = instances.collect();
    let wants =
        |instance: &Instance| instance.catalogue.event_topics.iter().flatten().any(|topic| topics.contains(topic));
    let wanting = instances.into_values().filter(|instance| wants(instance));
    let protocol = Arc::<Protocol>::default();
    let plan = |instance: &Arc<Instance>| JobPlan {
        protocol: Arc::clone(&protocol),
        instance: Arc::clone(instance),
        network: Arc::clone(network),
        question: JobQuestion::Transaction(Arc::clone(transaction)),
        account: Address::ZERO,
        is_traced: false,
        renews_zeros: false,
        records: None,
    };
    let mut unavailable: BTreeMap<&str, &Unavailable> = BTreeMap::new();
    let wants = |unavailable: &&Unavailable| unavailable.topics.iter().any(|topic| topics.contains(topic));
    unavailable.extend(
        snapshot.unavailable.iter().filter(wants).map(|unavailable| (unavailable.plugin.as_str(), unavailable)),
    );
    let report = |(plugin, unavailable): (&str, &Unavailable)| JobReport {
        subject: plugin.to_owned(),
        ..report(unavailable, network)
    };
    Plans { jobs: wanting.map(plan).collect(), unavailable: unavailable.into_iter().map(report).collect() }
}

/// Returns true if `text` is the slug or the upper-case name of the protocol.
fn names_protocol(text: &str, protocol: &Protocol) -> bool {
    text == protocol.slug || text == protocol.name.as_str()
}

fn jobs(served: &Served, known: &Networks, question: Question, account: Address) -> Vec<JobPlan> {
    let question = JobQuestion::Account(question);
    let answered = known.iter().filter(|network| served.answers(question.number(), network.chain_id));
    answered.map(|network| job(served, network, &question, account)).collect()
}

fn job(served: &Served, network: &Arc<Network>, question: &JobQuestion, account: Address) -> JobPlan {
    JobPlan {
        protocol: Arc::clone(&served.protocol),
        instance: Arc::clone(&served.instance),
        network: Arc::clone(network),
        question: question.clone(),
        account,
        is_traced: false,
        renews_zeros: false,
        records: None,
    }
}

#[cfg(test)]
mod tests {
    use portolan_abi::Question as Number;

    use super::*;

    const ETHEREUM: u64 = 1;
    const OPTIMISM: u64 = 10;
    const POLYGON: u64 = 137;

    /// Returns the networks on which an answer from all protocols reports the protocol as missing.
    fn missing(snapshot: &Snapshot, chain_id: Option<u64>, questions: &[Question]) -> Vec<u64> {
        let networks = Networks::new([]);
        let plans = for_all(snapshot, &networks, &Filter::All, questions, Address::ZERO);
        let plans = plans.map(|plans| plans.on(chain_id));
        let Ok(Plans { jobs, unavailable }) = plans else { panic!("all protocols are not a filter") };
        assert!(jobs.is_empty() && unavailable.iter().all(|report| report.reason == Some(Reason::Quarantined)));
        unavailable.iter().map(|report| report.network.chain_id).collect()
    }

    #[test]
    fn what_is_in_quarantine_is_missing_on_each_network_where_its_tokens_had_prices() {
        let snapshot = Snapshot::of_quarantined([
            (Number::FARMING, ETHEREUM),
            (Number::COMPOSITION, ETHEREUM),
            (Number::COMPOSITION, POLYGON),
            (Number::EVENTS, OPTIMISM),
        ]);
        assert_eq!(missing(&snapshot, None, &[Question::Farming]), [ETHEREUM, POLYGON]);
        assert_eq!(missing(&snapshot, None, &[Question::Claimables]), [ETHEREUM, POLYGON]);
        assert_eq!(missing(&snapshot, Some(POLYGON), &[Question::Claimables]), [POLYGON]);
        assert_eq!(missing(&snapshot, Some(OPTIMISM), &[Question::Claimables]), [] as [u64; 0]);
    }
}
