//! Endpoints: which one gets a read, how its requests are sent, and what is known about it.
//!
//! `network` sends a read to the best endpoint of its network (`selector`), and what that leaves open to the next one.
//! `batch` makes as few requests as the endpoint's batch method and `chunk_sizer` allow. Each request waits for its
//! turn (`limit`, `client_rates`), and its result counts in the endpoint's `health`. This floor may use all others
//! below the chain reader: `cache`, `methods`, `chain`, `wire` and `reads`.

pub(crate) mod network;

pub(crate) mod batch;
pub(crate) mod chunk_sizer;
pub(crate) mod heavy_calls;

pub(crate) mod endpoint;

pub(crate) mod approval_search;
pub(crate) mod client_rates;
pub(crate) mod health;
pub(crate) mod limit;
pub(crate) mod log_window;
pub(crate) mod round_trips;
pub(crate) mod selector;
pub(crate) mod status;
