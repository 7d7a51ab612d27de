//! The answers of the public listeners: from the head of a request to the bytes of a body.

pub(super) mod accept;
pub(super) mod answer_event;
pub(super) mod answer_headers;
pub(super) mod body;
pub(super) mod caching;
pub(super) mod coding;
pub(super) mod logo;
pub(crate) mod mcp;
pub(crate) mod pages;
pub(super) mod respond;
pub(super) mod route;
pub(super) mod shared_body;
pub(super) mod streamed_answer;
pub(super) mod timing;
pub(crate) mod watches;
