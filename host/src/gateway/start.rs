//! Starts the gateway: the registry, the reader, and the sources of all answers.

use std::io;
use std::sync::Arc;

use portolan_reader::{ChainReader, RpcUrl, Upstream};

use super::Gateway;
use crate::assets::price::Prices;
use crate::assets::token_list::TokenLists;
use crate::config::Config;
use crate::events::tables::{Tables, TablesError};
use crate::gateway::admission::Admission;
use crate::gateway::codeless::Codeless;
use crate::gateway::context::Sources;
use crate::gateway::gas_limit::GasLimits;
use crate::gateway::log_room::LogRoom;
use crate::gateway::single_flight::SingleFlight;
use crate::long_work::LongWork;
use crate::memory::Memory;
use crate::monitor::{Monitor, Watched};
use crate::names::Names;
use crate::net::off_chain::OffChain;
use crate::registry::{Registry, RegistryError};

/// Reason why the process cannot serve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Tables(#[from] TablesError),
    #[error("cannot start a thread for long work")]
    LongWork(#[source] io::Error),
    #[error("cannot keep copies of token lists in the state folder")]
    TokenLists(#[source] io::Error),
}

impl Gateway {
    /// Starts watching the plugins folder, and answers queries from then on.
    ///
    /// # Errors
    /// Returns an error if the registry, the token lists, the event tables or the worker threads cannot start.
    pub(crate) async fn start(config: &Config) -> Result<Self, StartError> {
        let networks = config.networks.clone();
        let (plugins_dir, state_dir, writers) = (&config.plugins_dir, &config.state_dir, config.writers);
        let (limits, signatures) = (config.limits.clone(), config.signatures.clone());
        let registry = Registry::start(plugins_dir, state_dir, writers, networks.clone(), limits, signatures)?;
        let lists = &config.token_lists;
        let token_lists =
            TokenLists::start(lists.locations.clone(), lists.refresh, state_dir, writers, &networks).await;
        let token_lists = token_lists.map_err(StartError::TokenLists)?;
        let upstream = |(chain_id, endpoints): &(u64, Vec<RpcUrl>)| {
            let name = networks.with_chain_id(*chain_id)?.slug.clone();
            let verify_receipts = config.verify_receipts.contains(chain_id);
            Some(Upstream { chain_id: *chain_id, name, endpoints: endpoints.clone(), verify_receipts })
        };
        let upstreams: Vec<Upstream> = config.rpc.iter().filter_map(upstream).collect();
        let with_endpoint = upstreams.iter().filter(|upstream| !upstream.endpoints.is_empty());
        let with_endpoint = with_endpoint.map(|upstream| upstream.chain_id).collect();
        let reader = ChainReader::new(upstreams, config.rpc_limits, Some(&config.facts));
        let prices = Prices::new(config.prices.clone());
        let sources = Sources {
            reader: Arc::clone(&reader) as _,
            with_endpoint,
            head_age_max: config.head_age_max.clone(),
            names: Names::new(config.names.clone()),
            off_chain: OffChain::new(config.documents_bytes_max),
            codeless: Codeless::default(),
            past_prices: prices.of_any_block(),
            prices,
            tables: Tables::read()?,
            log_room: LogRoom::new(config.logs_bytes_max),
            long_work: LongWork::start().map_err(StartError::LongWork)?,
            simulate_claims: config.simulate_claims,
            gas_limits: GasLimits::default(),
            networks,
        };
        let memory = Memory::watch(config.memory.clone());
        Ok(Self {
            monitor: Monitor::start(Watched {
                registry: Arc::clone(&registry),
                reader: Arc::clone(&reader),
                networks: config.networks.clone(),
                head_age_max: config.head_age_max.clone(),
            }),
            sources: Arc::new(sources),
            registry,
            reader,
            token_lists,
            single_flight: SingleFlight::default(),
            admission: Admission::new(config.in_flight_max, Arc::clone(&memory)),
            limits: config.answer_limits,
            logs_max: config.logs_max,
            memory,
        })
    }
}
