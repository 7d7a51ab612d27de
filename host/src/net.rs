//! HTTP requests for small documents, and the addresses that they may reach.

pub(crate) mod budget;
pub(crate) mod off_chain;
pub(crate) mod public_address;

pub(crate) mod http_client;
mod max_age;
