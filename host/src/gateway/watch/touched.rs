//! What the logs of some blocks say of contracts and accounts.
//!
//! A transfer or an approval of a token concerns the accounts that its topics name. Any other log of a contract may
//! concern everybody.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, B256, b256};
use portolan_reader::ContractLog;

/// `Transfer` and `Approval` of ERC-20 and ERC-721; `ApprovalForAll`, `TransferSingle` and `TransferBatch` of ERC-1155.
const OF_NAMED_ACCOUNTS: [B256; 5] = [
    b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"),
    b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"),
    b256!("17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31"),
    b256!("c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"),
    b256!("4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"),
];

/// Contracts with logs in some blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    /// Contracts whose logs were requested; each part has those of its blocks.
    requested: Vec<Arc<BTreeSet<Address>>>,
    /// Contracts with a log that may concern everybody.
    for_all: BTreeSet<Address>,
    /// Contracts with logs that concern these accounts.
    for_accounts: BTreeSet<(Address, Address)>,
}

impl Touched {
    /// Takes the logs of the contracts that were requested.
    pub(super) fn of(requested: Arc<BTreeSet<Address>>, logs: &[ContractLog]) -> Self {
        let mut touched = Self { requested: vec![requested], ..Self::default() };
        for log in logs {
            let named = log.topics.split_first().filter(|(event, _)| OF_NAMED_ACCOUNTS.contains(event));
            let accounts: BTreeSet<Address> =
                named.iter().flat_map(|(_, rest)| rest.iter().filter_map(account)).collect();
            // Some tokens do not index the accounts.
            if accounts.is_empty() {
                touched.for_all.insert(log.contract);
            }
            touched.for_accounts.extend(accounts.into_iter().map(|account| (log.contract, account)));
        }
        touched
    }

    /// Adds the logs of further blocks.
    pub(super) fn add(&mut self, other: &Self) {
        self.requested.extend(other.requested.iter().cloned());
        self.for_all.extend(&other.for_all);
        self.for_accounts.extend(&other.for_accounts);
    }

    /// Returns true if what these contracts say of an account may have changed.
    pub(super) fn concerns(&self, contracts: &BTreeSet<Address>, account: Address) -> bool {
        contracts.iter().any(|contract| {
            let is_known = self.requested.iter().all(|requested| requested.contains(contract));
            !is_known || self.for_all.contains(contract) || self.for_accounts.contains(&(*contract, account))
        })
    }
}

/// Returns the address that a topic may be.
fn account(topic: &B256) -> Option<Address> {
    let (zeros, address) = topic.split_at(12);
    zeros.iter().all(|byte| *byte == 0).then(|| Address::from_slice(address))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::keccak256;

    use super::*;

    const FARM: Address = Address::repeat_byte(0xfa);
    const TOKEN: Address = Address::repeat_byte(0x20);
    const OTHER: Address = Address::repeat_byte(0x33);
    const ACCOUNT: Address = Address::repeat_byte(0xac);

    fn touched(contract: Address, event: &str, accounts: &[Address]) -> Touched {
        let topics = [keccak256(event)].into_iter().chain(accounts.iter().map(|account| account.into_word())).collect();
        Touched::of(Arc::new([FARM, TOKEN].into()), &[ContractLog { contract, topics }])
    }

    #[test]
    fn a_transfer_concerns_the_accounts_that_it_names() {
        for event in [
            "Transfer(address,address,uint256)",
            "Approval(address,address,uint256)",
            "ApprovalForAll(address,address,bool)",
            "TransferSingle(address,address,address,uint256,uint256)",
            "TransferBatch(address,address,address,uint256[],uint256[])",
        ] {
            let logs = touched(TOKEN, event, &[OTHER, ACCOUNT]);
            assert!(logs.concerns(&[TOKEN].into(), ACCOUNT), "{event}");
            assert!(!logs.concerns(&[FARM].into(), ACCOUNT), "{event}");
            assert!(!touched(TOKEN, event, &[OTHER]).concerns(&[TOKEN].into(), ACCOUNT), "{event}");
            assert!(touched(TOKEN, event, &[]).concerns(&[TOKEN].into(), ACCOUNT), "{event} without topics");
        }
    }

    #[test]
    fn any_other_log_concerns_everybody() {
        let logs = touched(FARM, "RewardAdded(uint256)", &[]);
        assert!(logs.concerns(&[TOKEN, FARM].into(), ACCOUNT) && !logs.concerns(&[TOKEN].into(), ACCOUNT));
        assert!(touched(FARM, "Deposit(address,uint256)", &[OTHER]).concerns(&[FARM].into(), ACCOUNT));
    }

    #[test]
    fn a_contract_whose_logs_were_not_requested_may_have_changed() {
        let mut logs = touched(TOKEN, "Transfer(address,address,uint256)", &[OTHER]);
        assert!(logs.concerns(&[OTHER].into(), ACCOUNT));
        logs.add(&Touched::of(Arc::new([TOKEN].into()), &[]));
        assert!(logs.concerns(&[FARM].into(), ACCOUNT) && !logs.concerns(&[TOKEN].into(), ACCOUNT));
    }
}
