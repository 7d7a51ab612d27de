//! Listed token addresses without code. Nobody can hold such a token, so no answer misses anything; the operator gets
//! a warning in the log.
//!
//! Invariant: each token is logged once per process, however many answers read it.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use parking_lot::Mutex;
use portolan_base::network::Network;

/// Maximum number of tokens remembered; a list with more codeless addresses is not for this network.
const NOTED_MAX: usize = 10_000;

/// Chain ids and addresses that were logged.
#[derive(Debug, Default)]
pub(super) struct Codeless(Mutex<BTreeSet<(u64, Address)>>);

impl Codeless {
    /// Logs the tokens that were not logged before.
    pub(super) fn note(&self, network: &Network, tokens: &[Address]) {
        for token in tokens {
            if self.is_new(network.chain_id, *token) {
                let network = network.slug.as_str();
                tracing::warn!(network, %token, "a token list names an address where no contract stands");
            }
        }
    }

    fn is_new(&self, chain_id: u64, token: Address) -> bool {
        let mut noted = self.0.lock();
        noted.len() < NOTED_MAX && noted.insert((chain_id, token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_new_once_on_its_network() {
        let (codeless, token) = (Codeless::default(), Address::repeat_byte(1));
        assert!(codeless.is_new(1, token) && codeless.is_new(10, token) && !codeless.is_new(1, token));
    }
}
