//! Balances of an account on scripted networks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::{SolCall, SolValue};
use portolan_abi::map::{Catalogue, Deployment, Protocol};
use portolan_assets::metadata::Erc20;
use portolan_plugins::Instance;
use portolan_plugins::testing::ScriptedPlugin;
use portolan_reader::testing::{ScriptedChain, ScriptedReader};
use portolan_reader::{Kind, Outcome, Read, ReadFailure, Reader};

use crate::gateway::work::missing_tokens::BalanceFailure;

pub(super) const ACCOUNT: Address = Address::repeat_byte(0xac);

/// The account's balances by chain id; each network here has an endpoint.
#[derive(Clone, Debug, Default)]
pub(super) struct Script(BTreeMap<u64, ScriptedChain>);

impl Script {
    fn chain(&mut self, chain_id: u64) -> &mut ScriptedChain {
        self.0.entry(chain_id).or_insert_with(|| ScriptedChain::default().otherwise(nothing))
    }

    fn balance(mut self, chain_id: u64, token: Address, outcome: Outcome) -> Self {
        self.chain(chain_id).outcome(token, &Erc20::balanceOfCall { account: ACCOUNT }.abi_encode(), outcome);
        self
    }

    pub(super) fn native(mut self, chain_id: u64, wei: u64) -> Self {
        self.chain(chain_id).outcome(ACCOUNT, &[], Outcome::Ok(U256::from(wei).abi_encode().into()));
        self
    }

    pub(super) fn holds(mut self, chain_id: u64, token: Address, symbol: &str, decimals: u8, raw: u64) -> Self {
        let chain = self.chain(chain_id);
        chain.call(token, &Erc20::symbolCall {}, symbol.to_owned());
        chain.call(token, &Erc20::decimalsCall {}, U256::from(decimals));
        self.balance(chain_id, token, Outcome::Ok(U256::from(raw).abi_encode().into()))
    }

    pub(super) fn fails(self, chain_id: u64, token: Address, failure: BalanceFailure) -> Self {
        let outcome = match failure {
            BalanceFailure::Refused => Outcome::Reverted(Bytes::new()),
            BalanceFailure::Unread(failure) => Outcome::Failed(failure),
        };
        self.balance(chain_id, token, outcome)
    }

    /// Scripts a token address without code.
    pub(super) fn codeless(self, chain_id: u64, token: Address) -> Self {
        self.balance(chain_id, token, Outcome::NoCode)
    }

    /// Scripts a token that has a balance, but whose symbol no endpoint returns.
    pub(super) fn silent(mut self, chain_id: u64, token: Address, failure: ReadFailure) -> Self {
        self.chain(chain_id).outcome(token, &Erc20::symbolCall {}.abi_encode(), Outcome::Failed(failure));
        self
    }

    pub(super) fn down(mut self, chain_id: u64, failure: ReadFailure) -> Self {
        self.chain(chain_id).pin_failure(failure);
        self
    }

    pub(super) fn lost_below(mut self, chain_id: u64, number: u64) -> Self {
        self.chain(chain_id).lost_below(number);
        self
    }

    /// Networks with an endpoint.
    pub(super) fn with_endpoint(&self) -> BTreeSet<u64> {
        self.0.keys().copied().collect()
    }

    pub(super) fn reader(&self) -> Arc<dyn Reader> {
        Arc::new(ScriptedReader(self.0.clone()))
    }

    pub(super) fn next_block(&self) {
        self.0.values().for_each(ScriptedChain::next_block);
    }

    /// Number of requests to a network so far.
    pub(super) fn requests(&self, chain_id: u64) -> usize {
        self.0[&chain_id].requests().len()
    }
}

/// Default reply: balances that are not scripted are zero.
fn nothing(read: &Read) -> Outcome {
    match read.kind == Kind::NativeBalance || read.data.starts_with(&Erc20::balanceOfCall::SELECTOR) {
        true => Outcome::Ok(vec![0; 32].into()),
        false => Outcome::Reverted(Bytes::new()),
    }
}

/// A plugin that has a deployment on this network and answers nothing.
pub(super) fn deployed(chain_id: u64) -> Arc<Instance> {
    let protocol = Protocol { slug: "acme".to_owned(), ..Protocol::default() };
    let deployment = Deployment { protocol: protocol.slug.clone(), chain_id, ..Deployment::default() };
    let catalogue = Catalogue { protocols: vec![protocol], deployments: vec![deployment], ..Catalogue::default() };
    Arc::new(ScriptedPlugin::new("acme", catalogue).instance())
}
