//! HTTP requests for small documents, and the addresses that they may reach.

pub mod off_chain;
pub mod outgoing_budget;
pub mod public_address;
pub mod shared_documents;

pub mod http_client;
mod max_age;
