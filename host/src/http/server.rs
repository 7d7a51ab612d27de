//! The listeners: sockets, connections with their guard, and the access log.

pub(super) mod access_log;
pub(super) mod connection;
pub(super) mod guard;
pub(super) mod malformed_request;
pub(crate) mod passed_sockets;
pub(crate) mod serve;
pub(super) mod socket;
