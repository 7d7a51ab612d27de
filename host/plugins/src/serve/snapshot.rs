//! Snapshots of the registry: what is served at one generation. Invariant: a snapshot never changes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use alloy::primitives::Address;
use portolan_abi::Question;
use portolan_abi::map::{self, Deployment};

use crate::serve::catalogue;
use crate::serve::instance::Instance;
use crate::serve::protocol::Protocol;
use crate::serve::unavailable::Unavailable;
#[cfg(any(test, feature = "testing"))]
use crate::serve::unavailable::UnavailableWhy;
#[cfg(any(test, feature = "testing"))]
use crate::trust::known_good::GoodProtocol;

/// One generation of the registry.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Number of changes since the start.
    pub generation: u64,
    pub(crate) served: BTreeMap<String, Served>,
    /// Protocols that another plugin serves without their events, each with the instance that decodes these events.
    pub(crate) events: Vec<Served>,
    /// Protocols and plugins that are in the folder, or were served, and are not served now.
    pub unavailable: Vec<Unavailable>,
    /// Contracts by chain id; computed on first use.
    pub(crate) contracts: OnceLock<HashMap<u64, HashSet<Address>>>,
}

impl Snapshot {
    /// Returns the protocol with this slug.
    pub fn served(&self, slug: &str) -> Option<&Served> {
        self.served.get(slug)
    }

    /// All served protocols, ordered by slug.
    pub fn iter(&self) -> impl Iterator<Item = &Served> {
        self.served.values()
    }

    /// All served protocols, then the protocols of which a plugin decodes only the events.
    pub fn event_sources(&self) -> impl Iterator<Item = &Served> {
        self.iter().chain(&self.events)
    }

    /// The contracts of the deployments that are served on a network; `None` where there are none.
    pub fn contracts(&self, chain_id: u64) -> Option<&HashSet<Address>> {
        let contracts = self.contracts.get_or_init(|| {
            let mut contracts: HashMap<u64, HashSet<Address>> = HashMap::new();
            for row in self.event_sources().flat_map(Served::deployments) {
                contracts.entry(row.chain_id).or_default().extend(&row.contracts);
            }
            contracts
        });
        contracts.get(&chain_id)
    }
}

#[cfg(any(test, feature = "testing"))]
impl Snapshot {
    /// A snapshot of instances that serve all protocols of their catalogues.
    pub fn of_test(instances: impl IntoIterator<Item = Arc<Instance>>) -> Self {
        let mut served = BTreeMap::new();
        for instance in instances {
            for protocol in &instance.catalogue.protocols {
                served.insert(protocol.slug.clone(), Served::new(protocol, &instance));
            }
        }
        Self { generation: 1, served, ..Self::default() }
    }

    /// A snapshot whose one protocol is in quarantine and used to answer these questions.
    pub fn of_quarantined(answers: impl IntoIterator<Item = (Question, u64)>) -> Self {
        let answers = answers.into_iter().map(|(question, chain_id)| (question.0, chain_id)).collect();
        let (plugin, reason) = ("acme".to_owned(), "it ended the process".to_owned());
        let protocol = GoodProtocol { slug: plugin.clone(), name: "ACME".to_owned(), answers };
        let unavailable = Unavailable::plugin(plugin, UnavailableWhy::Quarantined, reason);
        Self { unavailable: vec![Unavailable { protocol: Some(protocol), ..unavailable }], ..Self::default() }
    }
}

/// A protocol and the instance that answers for it.
#[derive(Clone, Debug)]
pub struct Served {
    pub protocol: Arc<Protocol>,
    pub instance: Arc<Instance>,
    /// The questions that its deployments answer, each with the chain id of a network.
    answered: Arc<BTreeSet<(Question, u64)>>,
}

impl Served {
    /// A protocol of the instance's catalogue.
    pub(crate) fn new(protocol: &map::Protocol, instance: &Arc<Instance>) -> Self {
        let protocol = Arc::new(catalogue::shown(protocol));
        let mut served = Self { protocol, instance: Arc::clone(instance), answered: Arc::default() };
        let rows = served.deployments().flat_map(|row| row.questions.iter().map(|question| (*question, row.chain_id)));
        served.answered = Arc::new(rows.collect());
        served
    }

    /// Returns true if it has a deployment on the network that answers the question.
    pub fn answers(&self, question: Question, chain_id: u64) -> bool {
        self.answered.contains(&(question, chain_id))
    }

    /// The protocol's own deployments.
    pub fn deployments(&self) -> impl Iterator<Item = &Deployment> {
        self.instance.catalogue.deployments.iter().filter(|row| row.protocol == self.protocol.slug)
    }
}
