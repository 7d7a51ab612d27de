//! Entry points of the fuzz targets in `fuzz/`, for all code of the host that reads what others wrote. Each is beside
//! that code, with the properties that hold for any bytes.
//!
//! Invariant: an entry point panics only if the code is wrong. Nothing else may use them.

pub use crate::config::fuzzing::configuration;
pub use crate::http::fuzzing::{event_view, request};
pub use crate::jobs::fuzzing::findings;
pub use portolan_assets::token_list::fuzzing::token_list;
pub use portolan_plugins::fuzzing::{dylib, settings, worker_message};
