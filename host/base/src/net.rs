//! HTTP requests for small documents, and the addresses that they may reach.

pub mod budget;
pub mod off_chain;
pub mod public_address;

pub mod http_client;
mod max_age;
