//! Starts the gateway: the registry, the reader, and the sources of all answers.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use portolan_assets::names::{NameSettings, Names};
use portolan_assets::price::{PriceSettings, Prices};
use portolan_assets::token_list::{ListSettings, TokenLists};
use portolan_base::files::TrustedOwners;
use portolan_base::net::off_chain::OffChain;
use portolan_base::net::shared_documents::SharedDocuments;
use portolan_base::network::Networks;
use portolan_plugins::limits::PluginLimits;
use portolan_plugins::signature::SignatureSettings;
use portolan_plugins::{Registry, RegistryError};
use portolan_reader::{ChainReader, Limits, RpcUrl, StoreSettings, Upstream};
use portolan_store::{SharedStore, SharedStoreSettings};

use super::{AdminHandles, Gateway};
use crate::budget::AnswerLimits;
use crate::cpu_pool::CpuPool;
use crate::events::tables::{Tables, TablesError};
use crate::gateway::admission::Admission;
use crate::gateway::approval_lists::ApprovalLists;
use crate::gateway::claims::gas_limit::GasLimits;
use crate::gateway::codeless::Codeless;
use crate::gateway::context::Sources;
use crate::gateway::log_memory::LogMemory;
use crate::gateway::query::{InputLimits, SimulateWhen};
use crate::gateway::single_flight::SingleFlight;
use crate::head_age::HeadAgeMax;
use crate::jobs::record::JobRecords;
use crate::memory::{Memory, MemoryLimit};
use crate::monitor::{Monitor, Watched};

/// The settings that the gateway starts with.
#[derive(Debug)]
pub(crate) struct GatewaySettings {
    pub(crate) state_dir: PathBuf,
    pub(crate) plugins_dir: PathBuf,
    /// Owners who may write the two folders and the files in them.
    pub(crate) writers: TrustedOwners,
    pub(crate) networks: Networks,
    /// Endpoints by chain id, in the order of networks; preferred ones first. Networks without any are left out.
    pub(crate) rpc: Vec<(u64, Vec<RpcUrl>)>,
    /// Maximum age of each network's newest block.
    pub(crate) head_age_max: HeadAgeMax,
    /// Limits of each endpoint.
    pub(crate) rpc_limits: Limits,
    /// Chain ids of networks on which a transaction counts only with a proven receipt.
    pub(crate) verify_receipts: BTreeSet<u64>,
    /// Settings of the facts that outlive the process.
    pub(crate) facts: StoreSettings,
    /// The store through which gateways share what they read, if there is one.
    pub(crate) shared_store: Option<SharedStoreSettings>,
    pub(crate) prices: PriceSettings,
    pub(crate) token_lists: ListSettings,
    pub(crate) names: NameSettings,
    pub(crate) limits: PluginLimits,
    /// Maximum bytes of cached off-chain documents.
    pub(crate) documents_bytes_max: u64,
    /// Memory limit of the process.
    pub(crate) memory: MemoryLimit,
    /// Keys that may sign plugins.
    pub(crate) signatures: SignatureSettings,
    pub(crate) simulate_claims: SimulateWhen,
    pub(crate) answer_limits: AnswerLimits,
    pub(crate) in_flight_max: usize,
    /// Maximum logs of one transaction.
    pub(crate) logs_max: usize,
    /// Maximum accounts of one request.
    pub(crate) accounts_max: usize,
    /// Maximum bytes of the logs of all transactions under way.
    pub(crate) logs_bytes_max: u32,
    /// Where all jobs are recorded; `None` if the gateway serves clients.
    pub(crate) records: Option<Arc<JobRecords>>,
}

/// Reason why the process cannot serve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Tables(#[from] TablesError),
    #[error("cannot start a thread of the CPU pool")]
    CpuPool(#[source] io::Error),
    #[error("cannot keep copies of token lists in the state folder")]
    TokenLists(#[source] io::Error),
}

impl Gateway {
    /// Starts watching the plugins folder, and answers queries from then on.
    ///
    /// # Errors
    /// Returns an error if the registry, the token lists, the event tables or the worker threads cannot start.
    pub(crate) async fn start(settings: &GatewaySettings) -> Result<Self, StartError> {
        let networks = settings.networks.clone();
        let (plugins_dir, state_dir, writers) = (&settings.plugins_dir, &settings.state_dir, settings.writers);
        let (limits, signatures) = (settings.limits.clone(), settings.signatures.clone());
        let registry = Registry::start(plugins_dir, state_dir, writers, networks.clone(), limits, signatures)?;
        let lists = &settings.token_lists;
        let shared_store = settings.shared_store.clone().map(SharedStore::start);
        let documents = shared_store.clone().map(|store| Arc::new(SharedDocuments::new(store)));
        let (locations, refresh) = (lists.locations.clone(), lists.refresh);
        let token_lists = TokenLists::start(locations, refresh, state_dir, writers, &networks, documents.clone()).await;
        let token_lists = token_lists.map_err(StartError::TokenLists)?;
        let upstream = |(chain_id, endpoints): &(u64, Vec<RpcUrl>)| {
            let name = networks.with_chain_id(*chain_id)?.slug.clone();
            let verify_receipts = settings.verify_receipts.contains(chain_id);
            Some(Upstream { chain_id: *chain_id, name, endpoints: endpoints.clone(), verify_receipts })
        };
        let upstreams: Vec<Upstream> = settings.rpc.iter().filter_map(upstream).collect();
        let with_endpoint = upstreams.iter().filter(|upstream| !upstream.endpoints.is_empty());
        let with_endpoint = with_endpoint.map(|upstream| upstream.chain_id).collect();
        let reader = ChainReader::new(upstreams, settings.rpc_limits, Some(&settings.facts), shared_store.clone());
        let prices = Prices::new(settings.prices.clone());
        let sources = Sources {
            reader: Arc::clone(&reader) as _,
            with_endpoint,
            head_age_max: settings.head_age_max.clone(),
            names: Names::new(settings.names.clone()),
            off_chain: OffChain::new(settings.documents_bytes_max).sharing(documents),
            codeless: Codeless::default(),
            approval_lists: ApprovalLists::default(),
            past_prices: prices.of_any_block(),
            prices,
            tables: Tables::read()?,
            log_memory: LogMemory::new(settings.logs_bytes_max),
            cpu_pool: CpuPool::start().map_err(StartError::CpuPool)?,
            simulate_claims: settings.simulate_claims,
            gas_limits: GasLimits::default(),
            records: settings.records.clone(),
            networks,
        };
        let memory = Memory::watch(settings.memory.clone());
        let monitor = Monitor::start(Watched {
            registry: Arc::clone(&registry),
            reader: Arc::clone(&reader),
            networks: settings.networks.clone(),
            head_age_max: settings.head_age_max.clone(),
        });
        let admission = Arc::new(Admission::new(settings.in_flight_max, Arc::clone(&memory)));
        Ok(Self {
            single_flight: SingleFlight::default(),
            admission: Arc::clone(&admission),
            limits: settings.answer_limits,
            inputs: InputLimits { logs_max: settings.logs_max, accounts_max: settings.accounts_max },
            admin: AdminHandles {
                networks: sources.networks.clone(),
                registry,
                reader,
                shared_store,
                token_lists,
                monitor: Arc::new(monitor),
                memory,
                admission,
            },
            sources: Arc::new(sources),
        })
    }
}
