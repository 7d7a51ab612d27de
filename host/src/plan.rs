//! Which jobs answer a query: protocol × network, from one immutable snapshot of the registry.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;

use crate::answer::Protocol;
use crate::http::problem::Problem;
use crate::network::{Network, Networks};
use crate::query::{Filter, Question};
use crate::registry::{Instance, Served, Snapshot};

/// One protocol, one network, one question about one account.
#[derive(Clone, Debug)]
pub(crate) struct JobPlan {
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) instance: Arc<Instance>,
    pub(crate) network: Arc<Network>,
    pub(crate) question: Question,
    pub(crate) account: Address,
}

/// The jobs of the aggregate call.
///
/// # Errors
/// [`Problem::InvalidFilter`] names a protocol that is not known.
pub(crate) fn for_all(
    snapshot: &Snapshot,
    networks: &Networks,
    filter: &Filter,
    account: Address,
) -> Result<Vec<JobPlan>, Problem> {
    let is_named = |served: &Served, names: &[String]| names.iter().any(|name| names_protocol(name, &served.protocol));
    let (Filter::Include(names) | Filter::Exclude(names)) = filter else {
        return Ok(snapshot.iter().flat_map(|served| jobs(served, networks, Question::Claimables, account)).collect());
    };
    let unknown = names.iter().find(|name| !snapshot.iter().any(|served| names_protocol(name, &served.protocol)));
    if let Some(unknown) = unknown {
        return Err(Problem::InvalidFilter(format!("{unknown} is not a protocol that is served here")));
    }
    let included = matches!(filter, Filter::Include(_));
    let chosen = snapshot.iter().filter(|served| is_named(served, names) == included);
    Ok(chosen.flat_map(|served| jobs(served, networks, Question::Claimables, account)).collect())
}

/// The jobs of a question to one protocol; none where it has no deployments that answer it.
///
/// # Errors
/// [`Problem::UnknownProtocol`].
pub(crate) fn for_one(
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

/// By slug, or by upper-case name.
fn names_protocol(text: &str, protocol: &Protocol) -> bool {
    text == protocol.slug || text == protocol.name
}

fn jobs(served: &Served, networks: &Networks, question: Question, account: Address) -> Vec<JobPlan> {
    let deployments = served.instance.catalogue.deployments.iter();
    let answering = deployments
        .filter(|row| row.protocol == served.protocol.slug && row.questions.contains(&(question as u8)))
        .map(|row| row.chain_id)
        .collect::<BTreeSet<u64>>();
    let known = networks.iter().filter(|network| answering.contains(&network.chain_id));
    let job = |network: &Arc<Network>| JobPlan {
        protocol: Arc::clone(&served.protocol),
        instance: Arc::clone(&served.instance),
        network: Arc::clone(network),
        question,
        account,
    };
    known.map(job).collect()
}
