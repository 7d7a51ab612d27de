//! What several gateways share through Valkey or Redis: entries by key, each authenticated by the operators' secret.
//!
//! Invariants: [`SharedStore::get`] never waits longer than its bound, and returns nothing that another program, or
//! the store itself, could have made or moved. Whatever happens to the store, a caller only misses what is in it. The
//! crate knows nothing of contracts or queries.

mod breaker;
mod cluster;
mod connection;
mod entry;
mod live_connection;
mod queue;
mod settings;
mod shared_store;
mod stream;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use self::entry::{BlockHash, Channel, Entry, EntryKind};
pub use self::settings::{Pseudonym, SECRET_BYTES_MIN, SharedStoreSettings, StoreAuthorities, StoreSecret, StoreUrl};
pub use self::shared_store::{REPORT_AGE_MAX, SharedStore, SharedStoreStatus, unix_time};
