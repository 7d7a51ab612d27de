//! The state that the reconciler publishes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arc_swap::{ArcSwap, ArcSwapOption};

use crate::reconcile::status::StatusReport;
use crate::serve::snapshot::Snapshot;

/// The state that the reconciler publishes.
#[derive(Debug, Default)]
pub(crate) struct Published {
    pub(crate) current: ArcSwap<Current>,
    pub(crate) trouble: ArcSwapOption<String>,
    pub(crate) first_scan_done: AtomicBool,
}

#[derive(Debug, Default)]
pub(crate) struct Current {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) status: StatusReport,
}
