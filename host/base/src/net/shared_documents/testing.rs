//! Gateways that share documents through a double of the store, for tests.

use std::io;

use portolan_store::{SECRET_BYTES_MIN, SharedStoreSettings, StoreAuthorities, StoreSecret, StoreUrl};

use super::*;

/// Only waited out by what hangs.
pub const WITHIN: Duration = Duration::from_secs(20);
/// Many times the default, so that a busy machine does not pass for a slow store.
const WAIT: Duration = Duration::from_millis(500);

impl SharedDocuments {
    /// The documents of a gateway that is connected to the store at this URL.
    ///
    /// # Errors
    /// It is not connected.
    pub async fn connected_to(url: &str) -> io::Result<Self> {
        let missing = |_| io::Error::other("no authorities");
        let settings = SharedStoreSettings {
            url: StoreUrl::parse(url).map_err(|_| io::Error::other("no URL"))?,
            secret: StoreSecret::new(&[7; SECRET_BYTES_MIN]).ok_or_else(|| io::Error::other("no secret"))?,
            authorities: StoreAuthorities::of_the_web().map_err(missing)?,
            wait: WAIT,
        };
        let documents = Self(SharedStore::start(settings));
        documents.connected(WITHIN).await;
        if documents.0.status().connected { Ok(documents) } else { Err(io::ErrorKind::TimedOut.into()) }
    }

    /// Entries that were not believed.
    pub fn refused(&self) -> u64 {
        self.0.status().refused
    }

    /// Waits until the store has so many entries of this gateway.
    ///
    /// # Errors
    /// It gets no more.
    pub async fn written(&self, count: u64) -> io::Result<()> {
        let until = Instant::now() + WITHIN;
        while self.0.status().written < count {
            if Instant::now() >= until {
                return Err(io::ErrorKind::TimedOut.into());
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}
