//! HTTP requests for small documents, and the addresses that they may reach.

pub(crate) mod public_address;

pub(crate) mod http_client;
