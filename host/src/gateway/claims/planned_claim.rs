//! A claim to simulate, and the contracts and tokens it touches.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_abi::map::Claimable;
use portolan_assets::token::NATIVE;
use portolan_base::network::Network;
use portolan_validation::ClaimTransaction;

/// A claim to simulate.
pub(in crate::gateway) struct PlannedClaim<'a> {
    /// Name of the plugin that found it.
    pub(in crate::gateway) plugin: &'a str,
    pub(in crate::gateway) network: &'a Arc<Network>,
    pub(in crate::gateway) found: &'a Claimable,
    pub(in crate::gateway) transactions: &'a [ClaimTransaction],
}

impl PlannedClaim<'_> {
    /// The account that claims.
    pub(in crate::gateway) fn account(&self) -> Address {
        self.transactions.first().map(|transaction| transaction.from).unwrap_or_default()
    }

    /// Tokens that it pays, except the native one.
    pub(in crate::gateway) fn tokens(&self) -> BTreeSet<Address> {
        self.found.payments.iter().map(|payment| payment.token).filter(|token| *token != NATIVE).collect()
    }

    /// Targets of the claim, then the addresses in its arguments; without the account and the tokens that it pays.
    pub(in crate::gateway) fn contracts(&self) -> Vec<Address> {
        let paid = self.tokens();
        let mut contracts: Vec<Address> = Vec::new();
        let named = self.transactions.iter().flat_map(|transaction| transaction.inputs.iter());
        let named = named.filter(|(kind, _)| kind.contains("address")).flat_map(|(_, text)| addresses(text));
        let account = self.transactions.first().map(|transaction| transaction.from);
        for contract in self.transactions.iter().map(|transaction| transaction.to).chain(named) {
            let is_other = Some(contract) != account && contract != NATIVE && !paid.contains(&contract);
            if is_other && !contracts.contains(&contract) {
                contracts.push(contract);
            }
        }
        contracts
    }

    /// Native value that its transactions send, in wei.
    pub(in crate::gateway) fn fee(&self) -> U256 {
        self.transactions.iter().fold(U256::ZERO, |sum, transaction| sum.saturating_add(transaction.value))
    }
}

/// Returns the addresses in an argument's text.
fn addresses(text: &str) -> impl Iterator<Item = Address> + '_ {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| word.len() == 42 && word.starts_with("0x")).filter_map(|word| word.parse().ok())
}
