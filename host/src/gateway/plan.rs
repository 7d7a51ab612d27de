//! Plans the jobs of a question: one for each protocol and network, from one immutable snapshot of the registry. About a
//! transaction it is one job for each plugin, because neighbouring logs make up one event together.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use alloy::primitives::{Address, B256};
use portolan_abi::map;

use crate::gateway::problem::Problem;
use crate::gateway::query::Filter;
use crate::jobs::plan::{JobPlan, JobQuestion, Question};
use crate::network::{Network, Networks};
use crate::registry::protocol::Protocol;
use crate::registry::{Instance, Served, Snapshot};

/// The jobs of questions to all protocols that the filter leaves, on one network or on all.
///
/// # Errors
/// [`Problem::InvalidFilter`] names a protocol that is not known.
pub(super) fn for_all(
    snapshot: &Snapshot,
    networks: &Networks,
    (filter, chain_id): (&Filter, Option<u64>),
    questions: &[Question],
    account: Address,
) -> Result<Vec<JobPlan>, Problem> {
    let is_named = |served: &Served, names: &[String]| names.iter().any(|name| names_protocol(name, &served.protocol));
    let is_chosen = |served: &&Served| match filter {
        Filter::All => true,
        Filter::Include(names) => is_named(served, names),
        Filter::Exclude(names) => !is_named(served, names),
    };
    if let Filter::Include(names) | Filter::Exclude(names) = filter {
        let unknown = names.iter().find(|name| !snapshot.iter().any(|served| names_protocol(name, &served.protocol)));
        if let Some(unknown) = unknown {
            return Err(Problem::InvalidFilter(format!("{unknown} is not a protocol that is served here")));
        }
    }
    let plans = snapshot
        .iter()
        .filter(is_chosen)
        .flat_map(|served| questions.iter().flat_map(|question| jobs(served, networks, *question, account)));
    Ok(plans.filter(|plan| chain_id.is_none_or(|chain_id| plan.network.chain_id == chain_id)).collect())
}

/// The jobs of a question to one protocol; none where it has no deployments that answer it.
///
/// # Errors
/// [`Problem::UnknownProtocol`].
pub(super) fn for_one(
    snapshot: &Snapshot,
    networks: &Networks,
    slug: &str,
    question: Question,
    account: Address,
) -> Result<Vec<JobPlan>, Problem> {
    match snapshot.served(slug) {
        Some(served) => Ok(jobs(served, networks, question, account)),
        None => Err(Problem::UnknownProtocol(format!("{slug} is not a protocol that is served here"))),
    }
}

/// The jobs about what tokens of a network are made of, in the order of slugs.
pub(super) fn for_tokens(snapshot: &Snapshot, network: &Arc<Network>, tokens: &[Address]) -> Vec<JobPlan> {
    let question = JobQuestion::Tokens(tokens.into());
    let answering = snapshot.iter().filter(|served| served.answers(question.number(), network.chain_id));
    answering.map(|served| job(served, network, &question, Address::ZERO)).collect()
}

/// The jobs about a transaction's logs, in the order of the plugins' names: one for each plugin that wants any of these
/// first topics.
pub(super) fn for_transaction(
    snapshot: &Snapshot,
    network: &Arc<Network>,
    topics: &HashSet<B256>,
    transaction: &Arc<map::Transaction>,
) -> Vec<JobPlan> {
    let instances = snapshot.iter().map(|served| (served.instance.name(), &served.instance));
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
    };
    wanting.map(plan).collect()
}

/// By slug, or by upper-case name.
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
    }
}
