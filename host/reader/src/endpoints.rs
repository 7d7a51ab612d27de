//! Who answers: the endpoints of each network, their health, their limits and their turns.
//!
//! A read goes to the endpoint with the best record (`network`, `selector`), in as few requests as its batch method
//! allows (`batch`, `chunk_sizer`), within its limits (`limit`, `client_rates`). Every reply counts in the endpoint's `health`.
//! May use every floor below: the cache for what it must repeat, methods, chain, wire and reads.

pub(crate) mod network;

pub(crate) mod batch;
pub(crate) mod chunk_sizer;
pub(crate) mod heavy_calls;

pub(crate) mod endpoint;

pub(crate) mod client_rates;
pub(crate) mod health;
pub(crate) mod limit;
pub(crate) mod round_trips;
pub(crate) mod selector;
pub(crate) mod status;
