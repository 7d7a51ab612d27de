//! Requests to hosts that the operator did not choose.

pub(crate) mod public_address;
pub(crate) mod public_http;
