//! The parts that the operators' listener, their commands and the checks act on.

use std::sync::Arc;

use portolan_assets::token_list::TokenLists;
use portolan_base::network::Networks;
use portolan_plugins::Registry;
use portolan_reader::ChainReader;
use portolan_store::SharedStore;

use super::admission::Admission;
use crate::memory::Memory;
use crate::monitor::Monitor;

/// Parts of a gateway, shared with it.
#[derive(Clone)]
pub(crate) struct AdminHandles {
    pub(crate) networks: Networks,
    pub(crate) registry: Arc<Registry>,
    pub(crate) reader: Arc<ChainReader>,
    /// `None` if nothing is shared with other gateways.
    pub(crate) shared_store: Option<Arc<SharedStore>>,
    pub(crate) token_lists: Arc<TokenLists>,
    pub(crate) monitor: Arc<Monitor>,
    pub(crate) memory: Arc<Memory>,
    pub(super) admission: Arc<Admission>,
}

impl AdminHandles {
    /// Number of answers in flight, and its maximum.
    pub(crate) fn in_flight(&self) -> (usize, usize) {
        self.admission.in_flight()
    }
}
